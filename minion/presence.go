package minion

import (
	"context"
	"sync"
)

// presence is whether the subscription stands, with a way to wait for changes.
type presence struct {
	mu      sync.Mutex
	on      bool
	changed chan struct{} // closed and replaced at each change
}

func newPresence() *presence { return &presence{changed: make(chan struct{})} }

func (p *presence) set(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on == on {
		return
	}
	p.on = on
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *presence) is() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.on
}

// state is as it is now; changed is closed when it is no longer.
func (p *presence) state() (on bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.on, p.changed
}

// next is closed at the next change.
func (p *presence) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// await waits until the state is on, or off.
func (p *presence) await(ctx context.Context, on bool) error {
	_, err := p.reach(ctx, on)
	return err
}

// reach waits until the state is on, or off; changed is closed when it is no
// longer.
func (p *presence) reach(ctx context.Context, on bool) (changed <-chan struct{}, err error) {
	for {
		is, changed := p.state()
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
