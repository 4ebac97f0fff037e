//go:build linux

package chaos

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/topology"
)

// top is a master of masters as its operator sees it: jobs go in, events come out.
type top struct {
	id     string
	client *client.Client

	mu    sync.Mutex
	jobs  map[string]*heard // by jid
	looks []look            // where minions were, in the order of time
}

func newTop(id string, o client.Options) *top {
	o.Timeout = 8 * time.Second
	return &top{id: id, client: client.New(o), jobs: map[string]*heard{}}
}

// watch listens to the event bus through all lives of the master.
func (t *top) watch(ctx context.Context) {
	for ctx.Err() == nil {
		events, err := t.client.Subscribe(ctx, jobevent.Prefix)
		if err != nil {
			_ = timing.Sleep(ctx, 50*time.Millisecond)
			continue
		}
		for e, err := range events.All(ctx) {
			if err == nil {
				t.hear(e, time.Now())
			}
		}
		_ = events.Close() // it is broken
	}
}

// of gives what is heard of a job. The caller holds mu.
func (t *top) of(jid string) *heard {
	h := t.jobs[jid]
	if h == nil {
		h = newHeard()
		t.jobs[jid] = h
	}
	return h
}

// told gives what was heard of a job until now.
func (t *top) told(jid string) *heard {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := *t.of(jid)
	h.rets, h.first, h.named, h.ends = maps.Clone(h.rets), maps.Clone(h.first), maps.Clone(h.named), slices.Clone(h.ends)
	return &h
}

// forget drops what was heard of jobs that have been checked, and what was seen
// before a time.
func (t *top) forget(before time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.jobs)
	t.looks = slices.DeleteFunc(t.looks, func(l look) bool { return l.at.Before(before) })
}

// tree asks the master for its tree.
func (t *top) tree(ctx context.Context) (topology.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return t.client.Tree(ctx)
}

// whole reports what a top's tree lacks; nil when everyone is up.
func (t *top) whole(ctx context.Context) error {
	n, err := t.tree(ctx)
	if err != nil {
		return fmt.Errorf("%s does not tell its tree: %w", t.id, err)
	}
	up := map[string]bool{t.id: true}
	n.Walk(func(path string, c topology.Node) {
		if path != "" && c.State == topology.Up {
			up[c.ID] = true
		}
		for _, m := range c.Minions {
			if m.State == topology.Up && (path == "" || c.State == topology.Up) {
				up[m.ID] = true
			}
		}
	})
	for _, r := range shape {
		if r.tier > 1 && !up[r.id] {
			return fmt.Errorf("%s does not see %s up", t.id, r.id)
		}
	}
	return nil
}
