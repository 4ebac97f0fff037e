package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// Refusal is an error that a local user sees with Salt's name for it.
type Refusal struct{ Name, Message string }

func (e Refusal) Error() string { return e.Name + ": " + e.Message }

func (e Refusal) reply() any {
	return wire.NewMap("error", wire.NewMap("name", e.Name, "message", e.Message))
}

var (
	// ErrNoAccess refuses an unauthenticated user.
	ErrNoAccess = Refusal{"AuthenticationError", "Authentication error occurred."}
	// ErrNotAllowed refuses an action that the rules do not allow.
	ErrNotAllowed = Refusal{"AuthorizationError", "Authorization error occurred."}
)

// Invalid refuses an invalid or impossible command.
func Invalid(format string, args ...any) Refusal {
	return Refusal{"SaltInvocationError", fmt.Sprintf(format, args...)}
}

// AuthenticationFailed returns Salt's refusal of a runner or wheel call. with is the method of
// authentication.
func AuthenticationFailed(with string) Refusal {
	return Refusal{
		strings.ToUpper(with[:1]) + with[1:] + "AuthenticationError",
		fmt.Sprintf("Authentication failure of type %q occurred", with),
	}
}

var (
	// ErrNotStored is wrapped if nothing can be stored at present. The sender must retry.
	ErrNotStored = engine.ErrNotStored
	// ErrNotAMap is wrapped if a load is not a map.
	ErrNotAMap = errors.New("the load is not a map")
)

// Logged is an error that its source logs already. The server logs it at debug level only.
type Logged string

func (l Logged) Error() string { return string(l) }
