package orchestrate

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxPauses limits the runs with pauses.
const maxPauses = 1000

// all stands for each state of a run.
const all = "__all__"

// Pauses holds the runs, by jid, that pause or end before a state. It is safe for concurrent use.
// The entry of a run is removed when the run ends.
type Pauses struct {
	now  func() time.Time
	mu   sync.Mutex
	runs map[string]map[string]*pause // by jid, by state
}

type pause struct {
	kill  bool
	until time.Time     // zero: until it is resumed
	over  chan struct{} // closed on resume, or when it becomes a kill
}

// NewPauses returns empty Pauses.
func NewPauses(now func() time.Time) *Pauses {
	return &Pauses{now: now, runs: map[string]map[string]*pause{}}
}

// set makes a run pause or end before a state; "" means the next one.
func (p *Pauses) set(jid, id string, x *pause) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == "" {
		id = all
	}
	if p.runs[jid] == nil {
		if len(p.runs) >= maxPauses {
			return fmt.Errorf("%d runs are paused or ended already; resume some", maxPauses)
		}
		p.runs[jid] = map[string]*pause{}
	}
	if was := p.runs[jid][id]; was != nil {
		close(was.over)
	}
	x.over = make(chan struct{})
	p.runs[jid][id] = x
	return nil
}

// resume resumes a run before a state; "" means all its states.
func (p *Pauses) resume(jid, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, x := range p.runs[jid] {
		if id == "" || key == id || key == all {
			close(x.over)
			delete(p.runs[jid], key)
		}
	}
	if len(p.runs[jid]) == 0 {
		delete(p.runs, jid)
	}
}

// ended removes the entry of a run.
func (p *Pauses) ended(jid string) { p.resume(jid, "") }

func (p *Pauses) of(jid, id string) *pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.runs[jid][id]; x != nil {
		return x
	}
	return p.runs[jid][all]
}

// wait blocks while a run is paused before a state. It returns false if the run must end.
func (p *Pauses) wait(ctx context.Context, jid, id string) (bool, error) {
	for {
		x := p.of(jid, id)
		switch {
		case x == nil:
			return true, nil
		case x.kill:
			return false, nil
		}
		var timer <-chan time.Time
		if !x.until.IsZero() {
			left := x.until.Sub(p.now())
			if left <= 0 {
				p.resume(jid, id)
				continue
			}
			t := time.NewTimer(left)
			defer t.Stop()
			timer = t.C
		}
		select {
		case <-x.over:
		case <-timer:
			p.resume(jid, id)
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
