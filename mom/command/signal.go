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

// Signalled is why a command's context ended, its [context.Cause]: the user does not
// want to wait.
type Signalled struct{ sig syscall.Signal }

func (s *Signalled) Error() string { return "received " + s.sig.String() }

// How is Salt's word for the signal.
func (s *Signalled) How() string {
	if s.sig == syscall.SIGINT {
		return "Ctrl-c"
	}
	return "SIGTERM"
}

// Code is the exit code a shell gives to a program that a signal ended.
func (s *Signalled) Code() int { return 128 + int(s.sig) }

// stopTime is how long a command may take to end after a signal. Service managers that wait
// for 30 s, as the units of this program have it, then need no kill.
var stopTime = 20 * time.Second

// Overdue is told when a command has not ended within after since a signal: running names what
// it was doing. The program exits when it returns.
type Overdue func(after time.Duration, running []string)

// stopper carries who is told of an overdue stop.
type stopper struct {
	mu   sync.Mutex
	told Overdue
}

type stopperKey struct{}

// OnOverdue has fn told instead of standard error when the command of ctx does not end in time.
func OnOverdue(ctx context.Context, fn Overdue) {
	if s, ok := ctx.Value(stopperKey{}).(*stopper); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = fn
	}
}

func (s *stopper) tell(running []string) {
	s.mu.Lock()
	told := s.told
	s.mu.Unlock()
	told(stopTime, running)
}

// untilSignal gives a context that ends with the first SIGINT or SIGTERM, which
// is then its cause. A second one ends the program at once. Where the command has not ended
// stopTime after the first, the program exits: no template, command or peer can hold it up.
func untilSignal(parent context.Context, told Overdue) (context.Context, func()) {
	s := &stopper{told: told}
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
				s.tell(process.CurrentWork())
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
