package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// Refusal is an error that a local user is told by Salt's name for it.
type Refusal struct{ Name, Message string }

func (e Refusal) Error() string { return e.Name + ": " + e.Message }

func (e Refusal) reply() any {
	return wire.NewMap("error", wire.NewMap("name", e.Name, "message", e.Message))
}

var (
	// ErrNoAccess refuses a user who has not shown who that is.
	ErrNoAccess = Refusal{"AuthenticationError", "Authentication error occurred."}
	// ErrNotAllowed refuses a user who may not do this.
	ErrNotAllowed = Refusal{"AuthorizationError", "Authorization error occurred."}
)

// Invalid refuses a command that cannot be understood or done as it was given.
func Invalid(format string, args ...any) Refusal {
	return Refusal{"SaltInvocationError", fmt.Sprintf(format, args...)}
}

// AuthenticationFailed is Salt's refusal of a runner or wheel call, by what it came with.
func AuthenticationFailed(with string) Refusal {
	return Refusal{
		strings.ToUpper(with[:1]) + with[1:] + "AuthenticationError",
		fmt.Sprintf("Authentication failure of type %q occurred", with),
	}
}

var (
	// ErrNotStored is wrapped when nothing can be taken now, whatever it is: the sender
	// is asked to send it again.
	ErrNotStored = engine.ErrNotStored
	// ErrNotAMap is wrapped when a load is no map.
	ErrNotAMap = errors.New("the load is not a map")
)

// Told is wrapped by an error of which the operator has been told, as often as is good.
type Told string

func (t Told) Error() string { return string(t) }
