package client

import "errors"

// Errors of this package. Each is wrapped with what was being done and a hint; ask
// with [errors.Is].
var (
	// ErrUnreachable: nothing answers on the master's return port.
	ErrUnreachable = errors.New("the master does not answer")
	// ErrNoKey: the user's key file cannot be read.
	ErrNoKey = errors.New("no key of this user")
	// ErrNoMatch: the target matches nobody and there are no nodes to ask.
	ErrNoMatch = errors.New("no minions matched the target")
	// ErrNoGroup: the node group is not defined.
	ErrNoGroup = errors.New("unknown node group")
	// ErrBusLost: the event bus broke off: the master has stopped, or the reader was
	// too slow.
	ErrBusLost = errors.New("the connection to the master's event bus broke")
	// ErrNotTold: the master is not one of ours and never tells that a job is complete.
	ErrNotTold = errors.New("this master does not tell when a job is complete")
	// ErrClosed: what was asked has been closed on this side.
	ErrClosed = errors.New("it has been closed")
)

// Refused is a master's refusal under Salt's name for it. Ask with [errors.As].
type Refused struct {
	Name    string // such as AuthorizationError
	Message string
}

func (e *Refused) Error() string { return e.Name + ": " + e.Message }

// RunnerError is a runner that failed.
type RunnerError struct {
	Fun string
	// Reason is what the master says of the failure.
	Reason string
	// Value is what the function has to show all the same; nil for nothing.
	Value Raw
}

func (e *RunnerError) Error() string { return e.Reason }

// WheelError is a wheel function that failed.
type WheelError struct {
	Fun    string
	Reason string // what the master says of the failure
}

func (e *WheelError) Error() string { return e.Reason }
