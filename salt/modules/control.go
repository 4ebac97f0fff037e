package modules

import (
	"context"
	"fmt"
	"sync"
	"syscall"
)

// Control delivers signals to a running job. All jobs share the minion's process, so
// Control sends a signal to the process groups of the job's commands. A signal that would
// end a process also cancels the job's context.
type Control struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	groups map[int]struct{} // leaders of the running process groups
}

type controlKey struct{}

// WithControl returns a context for one job, and its Control. The caller calls
// [Control.End] when the job is over.
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

// Signal sends sig to every command of the job. A signal whose default action ends a
// process ends the job too.
func (c *Control) Signal(sig syscall.Signal) {
	if ends(sig) {
		// First, so that the death of a command is attributed to the signal.
		c.cancel(&SignalledError{Signal: sig})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for pgid := range c.groups {
		// The group may have ended meanwhile.
		_ = syscall.Kill(-pgid, sig)
	}
}

// ends reports whether sig ends a process that does not handle it. Stop, continue, and
// signals ignored by default do not.
func ends(sig syscall.Signal) bool {
	switch sig {
	case 0, syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH, syscall.SIGCONT,
		syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
		return false
	}
	return true
}

// track adds a process group to the job of ctx until the returned function is called.
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
