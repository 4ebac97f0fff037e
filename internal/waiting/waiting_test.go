package waiting

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// failing is a test that records how it failed.
type failing struct {
	testing.TB
	said string
}

type ended struct{}

func (*failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	panic(ended{}) // as far as a test that fails goes
}

// said returns the failure message of a test that waits; "" if it does not fail.
func said(t *testing.T, wait func(testing.TB)) string {
	f := &failing{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(ended{}) {
				panic(r)
			}
		}()
		wait(f)
	}()
	return f.said
}

func TestWaiting(t *testing.T) {
	never := func() bool { return false }
	for name, c := range map[string]struct {
		wait func(testing.TB)
		says string // a part of it; "" means that it does not fail
		most time.Duration
	}{
		"it is so":       {func(tb testing.TB) { Until(tb, "peace", func() bool { return true }) }, "", 0},
		"it comes":       {func(tb testing.TB) { Until(tb, "peace", after(time.Second)) }, "", time.Second + longest},
		"it never comes": {func(tb testing.TB) { Until(tb, "peace", never) }, "waited 30s in vain: peace", Patience + longest},
		"not in time":    {func(tb testing.TB) { Within(tb, time.Second, "peace", after(time.Minute)) }, "waited 1s in vain: peace", time.Second + longest},
		"looks take long": {func(tb testing.TB) {
			Within(tb, time.Minute, "peace", func() bool { time.Sleep(20 * time.Second); return false })
		}, "waited 1m0s in vain: peace", time.Minute + longest},
		"a value": {func(tb testing.TB) {
			n := 0
			if got := Value(tb, "three", func() int { n++; return n }, func(n int) bool { return n == 3 }); got != 3 {
				tb.Fatalf("got %d", got)
			}
		}, "", 3 * longest},
		"another value": {func(tb testing.TB) {
			Value(tb, "three", func() string { return "two" }, func(s string) bool { return s == "three" })
		}, "in vain: three; last seen: two", Patience + longest},
		"a context that ends": {func(tb testing.TB) {
			ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
			defer cancel()
			UntilDone(ctx, tb, "peace", never)
		}, "in vain: peace: context deadline exceeded", 2*time.Minute + longest},
		"before a context ends": {func(tb testing.TB) {
			ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute)
			defer cancel()
			UntilDone(ctx, tb, "peace", after(2*time.Minute))
		}, "", 2*time.Minute + longest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got := said(t, c.wait)
				if !strings.Contains(got, c.says) || got != "" && c.says == "" {
					t.Errorf("said %q", got)
				}
				if took := time.Since(began); took > c.most {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// after returns a condition that becomes true after d.
func after(d time.Duration) func() bool {
	at := time.Now().Add(d)
	return func() bool { return !time.Now().Before(at) }
}
