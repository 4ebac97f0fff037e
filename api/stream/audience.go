package stream

// Kind is what an event is of, as far as that decides who may hear it.
type Kind uint8

// The kinds. The zero value is the narrowest.
const (
	// Other is what happens at the master: sign-ins, keys, audit, webhooks, what minions
	// fire.
	Other Kind = iota
	// Job is of a job on minions.
	Job
	// Call is of a call of a runner or of the wheel.
	Call
	// Notice is what the hub's owner tells all readers.
	Notice
)

// Audience tells who may hear an event. The zero Audience is those who hear all.
type Audience struct {
	Kind Kind
	// User has asked for the job or made the call, as SERVICE/name if a login service knows
	// the user; "" where nobody knows. A master of Salt's does not tell the service: there it
	// is [AnyService].
	User string
}

// AnyService stands for the login service where a master does not tell it.
const AnyService = "*/"

// Ear is what a reader may hear. The zero Ear hears notices alone.
type Ear struct {
	// All is everything.
	All bool
	// Jobs is the events of all jobs, whoever asked for them.
	Jobs bool
	// User is whose jobs and calls are the reader's own, as SERVICE/name; "" has none.
	User string
	// Name is the user where the service is not told; "" for a name that users of the
	// machine have.
	Name string
}

// Hears tells whether an event is for a reader.
func (e Ear) Hears(a Audience) bool {
	switch {
	case e.All || a.Kind == Notice:
		return true
	case a.Kind == Other:
		//mutant:api-events-of-the-master
		return false
	case a.Kind == Job && e.Jobs:
		return true
	}
	//mutant:api-events-of-own-jobs
	return e.User != "" && a.User == e.User || e.Name != "" && a.User == AnyService+e.Name
}
