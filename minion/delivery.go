package minion

import "context"

// delivery is the time in which one link delivers what is in an outbox.
type delivery struct {
	stop context.CancelFunc
	done chan struct{}
}

// takeOver makes the caller the one that delivers, until ctx ends or the next one
// comes. It waits until the one before has stopped: the master that a minion moves to
// is told which returns it gets, and would wait for one that went to the former
// master in the last moment. end has to be called when the delivery is over.
func (o *outbox) takeOver(ctx context.Context) (mine context.Context, end func()) {
	mine, cancel := context.WithCancel(ctx)
	t := &delivery{stop: cancel, done: make(chan struct{})}
	o.mu.Lock()
	before := o.delivery
	o.delivery = t
	o.mu.Unlock()
	if before != nil {
		before.stop()
		<-before.done
	}
	return mine, func() { cancel(); close(t.done) }
}
