package engine

import "time"

// Clock is the ledger's source of time. Simulations replace it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once after d, in its own goroutine.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of [Clock.AfterFunc].
type Timer interface {
	// Stop prevents the call. It returns false if the call was made or stopped before.
	Stop() bool
	// Reset schedules the call after d.
	Reset(d time.Duration) bool
}

// wall is the system clock.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func (wall) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
