package channel

import (
	"errors"
	"strings"
)

// The reasons why a sign-in, request or publication is refused. Every error of this package
// about a peer is an [*Error] that wraps one of them.
var (
	ErrPending          = errors.New("the master holds our key but has not accepted it yet")
	ErrRejected         = errors.New("the master refused our key")
	ErrFull             = errors.New("the master takes no more minions")
	ErrNotReady         = errors.New("the master is not ready yet")
	ErrMasterKeyChanged = errors.New("the master's key is not the pinned one")
	ErrUnsignedKey      = errors.New("the master's key is not signed as configured")
	ErrBadPin           = errors.New("the pinned key cannot be used")
	ErrBadSignature     = errors.New("wrong signature")
	ErrUnproven         = errors.New("the answer is not signed, so that it is not known to be the master's")
	ErrBadFinger        = errors.New("the master's key has another fingerprint")
	ErrBadToken         = errors.New("the master did not prove that it owns its key")
	ErrBadNonce         = errors.New("the reply belongs to another request")
	ErrBadReply         = errors.New("malformed reply")
	ErrBadAlgorithm     = errors.New("the master does not know the algorithm")
	ErrRefused          = errors.New("the master refused the request")
	ErrFailed           = errors.New("the master failed to handle the request")
	ErrNotNow           = errors.New("the master can take nothing just now")
	ErrReplayed         = errors.New("the publication was seen before")
	ErrUnauthentic      = errors.New("the message is not under the master's current key")
	ErrNoAnswer         = errors.New("no answer")
	ErrClosed           = errors.New("the channel is closed")
)

// Error describes a failed operation: the identity, the master, the reason and what to do about
// it.
type Error struct {
	// Op is the operation, such as "sign in" or "request _return".
	Op string
	// ID is the identity, Master the host:port of the other side.
	ID, Master string
	// Err is the reason; errors.Is finds the package's sentinel in it.
	Err error
	// Detail is what was received; Hint is what an operator can do. Both may be "".
	Detail, Hint string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.ID != "" {
		b.WriteString(" as " + e.ID)
	}
	if e.Master != "" {
		b.WriteString(" at " + e.Master)
	}
	b.WriteString(": " + e.Err.Error())
	if e.Detail != "" {
		b.WriteString(" (" + e.Detail + ")")
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Fatal reports whether retrying cannot help until an operator acts. That is so if the master
// itself rejected our key, if the pinned key cannot be used or is not the required one, or if a
// master that is not pinned yet does not know the algorithms. Another key or a wrong signature
// is not fatal: anybody on the way can send that, and the next reply may come from the master.
func Fatal(err error) bool {
	for _, s := range []error{ErrRejected, ErrBadPin, ErrBadFinger, ErrBadAlgorithm} {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}
