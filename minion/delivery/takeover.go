package delivery

import "context"

// delivery is the time in which one sender delivers what is in an outbox.
type delivery struct {
	stop context.CancelFunc
	done chan struct{}
}

// TakeOver makes the caller the one that delivers, until ctx ends or the next one
// comes. It waits until the one before has stopped: a master that comes in the place of
// another is told which returns it gets, and would wait for one that went to the former
// in the last moment. end has to be called when the delivery is over.
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
