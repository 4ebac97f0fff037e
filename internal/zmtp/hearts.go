package zmtp

import (
	"sync"
	"time"
)

// heartsStep is how often Hearts look whose turn it is.
const heartsStep = 250 * time.Millisecond

// Hearts beat for many dialled sockets on one goroutine: who plays thousands of peers
// would have two goroutines for each. Intervals shorter than heartsStep become that.
type Hearts struct {
	stop, done chan struct{}
	once       sync.Once

	mu      sync.Mutex
	beating map[*pace]struct{}
}

// NewHearts starts the goroutine, which [Hearts.Close] ends.
func NewHearts() *Hearts {
	h := &Hearts{stop: make(chan struct{}), done: make(chan struct{}), beating: map[*pace]struct{}{}}
	go h.run()
	return h
}

// Close ends all beating. The sockets should be closed before.
func (h *Hearts) Close() {
	h.once.Do(func() { close(h.stop) })
	<-h.done
}

func (h *Hearts) run() {
	defer close(h.done)
	tick := time.NewTicker(heartsStep)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case now := <-tick.C:
			h.beat(now)
		}
	}
}

func (h *Hearts) beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.beating {
		if now.Sub(p.last) >= p.step {
			p.tick(now)
		}
	}
}

// with starts a heart among others, or by itself where there are none. calm ends it, and
// waits for a beat under way.
func (h heart) with(all *Hearts) (calm func()) {
	if all == nil {
		return h.start()
	}
	p := h.pace()
	p.step = max(p.step, heartsStep) // else each look would count as late, and peers get more time
	all.mu.Lock()
	defer all.mu.Unlock()
	all.beating[&p] = struct{}{}
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.beating, &p)
	}
}
