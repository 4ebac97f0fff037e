package stream

// Kind is what an event belongs to. It decides who may receive the event.
type Kind uint8

// The kinds. The zero value is the narrowest.
const (
	// Other is any other event of the master: sign-ins, keys, audit, webhooks, events of minions.
	Other Kind = iota
	// Job belongs to a job on minions.
	Job
	// Call belongs to a call of a runner or wheel function.
	Call
	// Notice is for all readers.
	Notice
)

// Audience says who may receive an event. The zero Audience is those who may receive all.
type Audience struct {
	Kind Kind
	// User started the job or the call, as SERVICE/name for a user of a login service; "" if unknown.
	// A Salt master does not report the service, which is [AnyService] then.
	User string
}

// AnyService stands for the login service at a master that does not report it.
const AnyService = "*/"

// Permissions are what a reader may receive. The zero Permissions allow only notices.
type Permissions struct {
	// All allows everything.
	All bool
	// Jobs allows the events of all jobs, whoever started them.
	Jobs bool
	// User owns the jobs and calls that the reader may follow, as SERVICE/name; "" owns none.
	User string
	// Name is the user at a master that does not report the login service; "" for a name that a user
	// of the machine has.
	Name string
}

// Allow reports whether the reader may receive an event.
func (p Permissions) Allow(a Audience) bool {
	switch {
	case p.All || a.Kind == Notice:
		return true
	case a.Kind == Other:
		//mutant:api-events-of-the-master
		return false
	case a.Kind == Job && p.Jobs:
		return true
	}
	//mutant:api-events-of-own-jobs
	return p.User != "" && a.User == p.User || p.Name != "" && a.User == AnyService+p.Name
}
