package session

import (
	"context"
	"sync"
)

// subscription holds whether the subscription is up, and lets callers wait for changes.
type subscription struct {
	mu      sync.Mutex
	on      bool
	changed chan struct{} // closed and replaced at each change
}

func newSubscription() *subscription { return &subscription{changed: make(chan struct{})} }

func (s *subscription) set(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on == on {
		return
	}
	s.on = on
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *subscription) is() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on
}

// state returns the current state; changed is closed when it changes.
func (s *subscription) state() (on bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on, s.changed
}

// next returns a channel that is closed at the next change.
func (s *subscription) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// await waits until the state is on, or off.
func (s *subscription) await(ctx context.Context, on bool) error {
	_, err := s.reach(ctx, on)
	return err
}

// reach waits until the state is on, or off; changed is closed when it changes again.
func (s *subscription) reach(ctx context.Context, on bool) (changed <-chan struct{}, err error) {
	for {
		is, changed := s.state()
		if is == on {
			return changed, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
