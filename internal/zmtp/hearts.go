package zmtp

import (
	"sync"
	"time"
)

// heartsStep is the interval at which Hearts check the sockets.
const heartsStep = 250 * time.Millisecond

// Hearts sends the heartbeats of many dialled sockets on one goroutine, for processes that run
// thousands of peers and would need two goroutines for each. Intervals shorter than heartsStep
// become heartsStep.
type Hearts struct {
	stop, done chan struct{}
	once       sync.Once

	mu      sync.Mutex
	beating map[*pace]struct{}
}

// NewHearts starts the goroutine; [Hearts.Close] ends it.
func NewHearts() *Hearts {
	h := &Hearts{stop: make(chan struct{}), done: make(chan struct{}), beating: map[*pace]struct{}{}}
	go h.run()
	return h
}

// Close ends all heartbeats. Close the sockets first.
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

// with starts a heart on the shared goroutine, or on its own if all is nil. calm ends it, and
// waits for a heartbeat in progress.
func (h heart) with(all *Hearts) (calm func()) {
	if all == nil {
		return h.start()
	}
	p := h.pace()
	p.step = max(p.step, heartsStep) // otherwise each look would count as late, and peers would get more time
	all.mu.Lock()
	defer all.mu.Unlock()
	all.beating[&p] = struct{}{}
	return func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.beating, &p)
	}
}
