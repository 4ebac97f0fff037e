package waiting

import (
	"context"
	"testing"
	"time"
)

// Patience is how long a test waits for what takes no time on an idle machine.
const Patience = 30 * time.Second

const (
	// shortest and longest are the pauses between two checks. They grow, because checks take
	// CPU time from the awaited event.
	shortest = time.Millisecond
	longest  = 10 * time.Millisecond
	// stall is how much longer than planned a pause may take and still count as waiting: a
	// process that was stopped or not scheduled has not waited.
	stall = 250 * time.Millisecond
)

// Until waits until ok returns true. After [Patience] the test fails, with what as the awaited
// event.
func Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	Within(tb, Patience, what, ok)
}

// Within is Until with another bound.
func Within(tb testing.TB, d time.Duration, what string, ok func() bool) {
	tb.Helper()
	if !Became(d, ok) {
		tb.Fatalf("waited %v in vain: %s", d, what)
	}
}

// Value is Until for a value: it returns the first value that is wanted. On failure the message
// shows the last one.
func Value[T any](tb testing.TB, what string, get func() T, wanted func(T) bool) T {
	tb.Helper()
	var v T
	if !Became(Patience, func() bool { v = get(); return wanted(v) }) {
		tb.Fatalf("waited %v in vain: %s; last seen: %+v", Patience, what, v)
	}
	return v
}

// UntilDone is Until with the end of ctx as its bound.
func UntilDone(ctx context.Context, tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	if !BecameBy(ctx, ok) {
		tb.Fatalf("waited in vain: %s: %v", what, ctx.Err())
	}
}

// BecameBy waits until ctx ends and reports whether ok returned true before.
func BecameBy(ctx context.Context, ok func() bool) (came bool) {
	for !came && ctx.Err() == nil {
		Became(time.Minute, func() bool { came = ok(); return came || ctx.Err() != nil })
	}
	return came
}

// Became waits for at most d and reports whether ok returned true.
func Became(d time.Duration, ok func() bool) bool {
	pause := shortest
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for left := d; ; pause = min(pause*5/4, longest) {
		looked := time.Now()
		if ok() {
			return true
		}
		left -= time.Since(looked)
		if left <= 0 {
			return false
		}
		rested := time.Now()
		timer.Reset(pause)
		<-timer.C
		left -= min(time.Since(rested), pause+stall)
	}
}
