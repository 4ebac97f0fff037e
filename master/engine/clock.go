package engine

import "time"

// Clock is the time by which a ledger lives. A simulation puts its own in place
// of the machine's.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once after d, on a goroutine or turn of its own.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of [Clock.AfterFunc].
type Timer interface {
	// Stop prevents the call; false means that it has happened or was stopped.
	Stop() bool
	// Reset makes the call happen d from now.
	Reset(d time.Duration) bool
}

// wall is the clock of the machine.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
