package modules

import (
	"context"
	"fmt"
	"sync"
	"syscall"

	hostproc "github.com/momtree/mom/internal/process"
)

// Control delivers signals to a running job. All jobs share the minion's process, so
// Control sends a signal to the groups of the job's commands. A signal that would
// end a process also cancels the job's context.
type Control struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	groups map[*hostproc.Group]struct{} // of the running commands
}

type controlKey struct{}

// WithControl returns a context for one job, and its Control. The caller calls
// [Control.End] when the job is over.
func WithControl(parent context.Context) (context.Context, *Control) {
	ctx, cancel := context.WithCancelCause(parent)
	c := &Control{cancel: cancel, groups: map[*hostproc.Group]struct{}{}}
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
	if hostproc.Ends(sig) {
		// First, so that the death of a command is attributed to the signal.
		c.cancel(&SignalledError{Signal: sig})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for group := range c.groups {
		group.Signal(sig)
	}
}

// track adds the group of a command to the job of ctx until the returned function is called.
func track(ctx context.Context, group *hostproc.Group) (untrack func()) {
	c, ok := ctx.Value(controlKey{}).(*Control)
	if !ok {
		return func() {}
	}
	c.mu.Lock()
	c.groups[group] = struct{}{}
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		delete(c.groups, group)
		c.mu.Unlock()
	}
}
