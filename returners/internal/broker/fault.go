package broker

import (
	"fmt"

	"github.com/momtree/mom/returners"
)

// Classes of failures, as counted by returners.DrainStats.
const (
	ClassConnection = "connection" // the broker is away, busy or slow
	ClassAccess     = "access"     // account, rights, or the topic or subject does not exist
	ClassFull       = "full"       // no space
	ClassData       = "data"       // the broker refuses this message
)

// Fault is a classified failure of a broker. It unwraps to its cause and to a sentinel:
// returners.ErrUnavailable or ErrFull if a retry may help, ErrRejected if not.
type Fault struct {
	Returner string // its name
	Where    string // the broker, without passwords
	Doing    string
	Advice   string // what the operator can do; "" if nothing is known
	Kind     string // one of the Class constants
	Err      error
}

// Class returns one of the Class constants.
func (f *Fault) Class() string { return f.Kind }

func (f *Fault) Error() string {
	text := fmt.Sprintf("%s %s: %s: %v", f.Returner, f.Where, f.Doing, f.Err)
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}

// Unwrap returns the sentinel and the cause.
func (f *Fault) Unwrap() []error {
	switch f.Kind {
	case ClassData:
		return []error{returners.ErrRejected, f.Err}
	case ClassFull:
		return []error{returners.ErrFull, f.Err}
	}
	return []error{returners.ErrUnavailable, f.Err}
}
