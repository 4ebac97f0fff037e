package auth

import (
	"errors"
	"fmt"
)

// Errors of this package; test with [errors.Is].
var (
	// ErrDenied says that the name or the password is wrong, the login service is not in
	// external_auth, or no entry matches the user. It never says which.
	ErrDenied = errors.New("the login was refused")
	// ErrNoToken says that a token does not exist or has expired.
	ErrNoToken = errors.New("unknown token")
	// ErrBusy says that too many logins are in progress, or too many of this user or address
	// have failed. Nothing was checked.
	ErrBusy = errors.New("too many logins at once; try again in some seconds")
	// ErrUnavailable says that the login service could not be queried; the log has the reason.
	ErrUnavailable = errors.New("the login service is unavailable; see the log of the master")
)

// denied returns [ErrDenied] with a reason for the log.
func denied(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func (r *refusal) Unwrap() error { return ErrDenied }
