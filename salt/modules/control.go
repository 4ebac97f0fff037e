package modules

import (
	"context"
	"fmt"
	"sync"
	"syscall"
)

// Control is the handle by which a running job is signalled. All jobs share the
// minion's process, so a signal for one of them goes to the process groups of
// the commands it runs, and one that would end a process ends its context.
type Control struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	groups map[int]struct{} // leaders of the process groups that run now
}

type controlKey struct{}

// WithControl returns a context for one job and the handle that signals it. The
// caller ends it by [Control.End] when the job is over.
func WithControl(parent context.Context) (context.Context, *Control) {
	ctx, cancel := context.WithCancelCause(parent)
	c := &Control{cancel: cancel, groups: map[int]struct{}{}}
	return context.WithValue(ctx, controlKey{}, c), c
}

// End releases the job's context.
func (c *Control) End() { c.cancel(nil) }

// SignalledError is the cause of a context ended by a signal.
type SignalledError struct{ Signal syscall.Signal }

func (e *SignalledError) Error() string {
	return fmt.Sprintf("signal %d (%v)", int(e.Signal), e.Signal)
}

// Signal delivers sig to every command of the job. Signals whose default is to
// end a process end the job as well.
func (c *Control) Signal(sig syscall.Signal) {
	if ends(sig) {
		// First, so that a command that dies of the signal is known to have.
		c.cancel(&SignalledError{Signal: sig})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for pgid := range c.groups {
		// A group that is just gone is no fault.
		_ = syscall.Kill(-pgid, sig)
	}
}

// ends tells whether sig ends a process that does not handle it. Stop and
// continue, and those ignored by default, do not.
func ends(sig syscall.Signal) bool {
	switch sig {
	case 0, syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH, syscall.SIGCONT,
		syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
		return false
	}
	return true
}

// track enters a process group into the job of ctx until the returned function
// is called.
func track(ctx context.Context, pgid int) (untrack func()) {
	c, ok := ctx.Value(controlKey{}).(*Control)
	if !ok {
		return func() {}
	}
	c.mu.Lock()
	c.groups[pgid] = struct{}{}
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		delete(c.groups, pgid)
		c.mu.Unlock()
	}
}
