package command

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/process"
)

// Signalled is the [context.Cause] of a command's context that a signal ended: the user wants the
// command to stop.
type Signalled struct{ sig syscall.Signal }

func (s *Signalled) Error() string { return "received " + s.sig.String() }

// How returns Salt's word for the signal.
func (s *Signalled) How() string {
	if s.sig == syscall.SIGINT {
		return "Ctrl-c"
	}
	return "SIGTERM"
}

// Code returns the exit code that a shell uses for a program ended by the signal.
func (s *Signalled) Code() int { return 128 + int(s.sig) }

// stopTime is how long a command may take to end after a signal. It is below the 30 s that service
// managers wait with this program's units before they kill it.
var stopTime = 20 * time.Second

// Overdue is called if a command has not ended within after since a signal. running lists what it
// is doing. The program exits when Overdue returns.
type Overdue func(after time.Duration, running []string)

// stopper holds the function to call if a stop is overdue.
type stopper struct {
	mu      sync.Mutex
	overdue Overdue
}

type stopperKey struct{}

// OnOverdue sets the function to call if the command of ctx does not end in time. The default prints to standard error.
func OnOverdue(ctx context.Context, fn Overdue) {
	if s, ok := ctx.Value(stopperKey{}).(*stopper); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.overdue = fn
	}
}

func (s *stopper) report(running []string) {
	s.mu.Lock()
	overdue := s.overdue
	s.mu.Unlock()
	overdue(stopTime, running)
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM, which is its cause. A
// second signal ends the program at once. If the command has not ended stopTime after the first, the
// program exits, whatever it is waiting for.
func untilSignal(parent context.Context, overdue Overdue) (context.Context, func()) {
	s := &stopper{overdue: overdue}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, stopperKey{}, s))
	got := make(chan os.Signal, 1)
	ended := make(chan struct{})
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case sig := <-got:
			signal.Stop(got)
			why := &Signalled{sig.(syscall.Signal)}
			cancel(why)
			timer := time.NewTimer(stopTime)
			defer timer.Stop()
			select {
			case <-timer.C:
				s.report(process.CurrentWork())
				//mutant:sigterm-ends-commands
				os.Exit(why.Code())
			case <-ended:
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(ended)
		cancel(nil)
	}
}
