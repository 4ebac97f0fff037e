package client

import "errors"

// Errors of this package. Each is wrapped with the operation that failed and a hint; test
// with [errors.Is].
var (
	// ErrUnreachable means that the master's return port does not answer.
	ErrUnreachable = errors.New("the master does not answer")
	// ErrNoKey means that the user's key file cannot be read.
	ErrNoKey = errors.New("no key of this user")
	// ErrNoMatch means that the target matches no minion and no node is left to ask.
	ErrNoMatch = errors.New("no minions matched the target")
	// ErrNoGroup means that the node group is not defined.
	ErrNoGroup = errors.New("unknown node group")
	// ErrBusLost means that the event bus was disconnected: the master has stopped, or the
	// reader was too slow.
	ErrBusLost = errors.New("the connection to the master's event bus broke")
	// ErrNotReported means that the master is not mom's and does not report the end of jobs, which
	// the call needs.
	ErrNotReported = errors.New("this master does not report when a job is complete")
	// ErrClosed means that the client, subscription or followed job was closed by its user.
	ErrClosed = errors.New("already closed")
)

// Refused is a request that the master refused. Test with [errors.As].
type Refused struct {
	Name    string // Salt's name of the error, such as AuthorizationError
	Message string
}

func (e *Refused) Error() string { return e.Name + ": " + e.Message }

// RunnerError is the failure of a runner.
type RunnerError struct {
	Fun string
	// Reason is the message of the master.
	Reason string
	// Value is what the function returned despite the failure, or nil.
	Value Raw
}

func (e *RunnerError) Error() string { return e.Reason }

// WheelError is the failure of a wheel function.
type WheelError struct {
	Fun    string
	Reason string // the message of the master
}

func (e *WheelError) Error() string { return e.Reason }
