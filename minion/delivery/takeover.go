package delivery

import "context"

// delivery is the period in which one sender delivers the returns in an outbox.
type delivery struct {
	stop context.CancelFunc
	done chan struct{}
}

// TakeOver makes the caller the only sender, until ctx ends or the next caller takes over. It
// waits until the previous sender has stopped. This matters because a new master is sent the
// list of returns that it will get: it would wait for one that the previous master got in the
// last moment. The caller must call end when it has stopped sending.
func (o *Outbox) TakeOver(ctx context.Context) (mine context.Context, end func()) {
	mine, cancel := context.WithCancel(ctx)
	t := &delivery{stop: cancel, done: make(chan struct{})}
	o.mu.Lock()
	before := o.delivers
	o.delivers = t
	o.mu.Unlock()
	if before != nil {
		before.stop()
		<-before.done
	}
	return mine, func() { cancel(); close(t.done) }
}
