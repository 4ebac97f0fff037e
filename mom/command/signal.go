package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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

// untilSignal gives a context that ends with the first SIGINT or SIGTERM, which
// is then its cause. A second one ends the program at once.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got)
			cancel(&Signalled{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel(nil)
	}
}
