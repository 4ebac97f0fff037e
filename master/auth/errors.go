package auth

import (
	"errors"
	"fmt"
)

// Errors of this package; ask with [errors.Is].
var (
	// ErrDenied: the name or the password is wrong, the login service is not one of
	// external_auth, or no entry there means this user. It never says which.
	ErrDenied = errors.New("the login was refused")
	// ErrNoToken: there is no such token, or it has expired.
	ErrNoToken = errors.New("there is no such token")
	// ErrBusy: too many logins are under way, or too many of this user or address have
	// failed. Nothing was checked.
	ErrBusy = errors.New("too many logins at once; try again in some seconds")
	// ErrUnavailable: the login service could not be asked. The log of the master says
	// why.
	ErrUnavailable = errors.New("the login service cannot be asked now; the log of the master says why")
)

// denied is [ErrDenied] with the reason, which is for the log of the master alone.
func denied(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func (r *refusal) Unwrap() error { return ErrDenied }
