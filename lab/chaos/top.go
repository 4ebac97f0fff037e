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

// top is a master of masters as its operator sees it: he publishes jobs and reads events.
type top struct {
	id     string
	client *client.Client

	mu    sync.Mutex
	jobs  map[string]*heard // by jid
	looks []look            // where minions were, in order of time
}

func newTop(id string, o client.Options) *top {
	o.Timeout = 8 * time.Second
	return &top{id: id, client: client.New(o), jobs: map[string]*heard{}}
}

// watch records the events of the bus, across restarts of the master.
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

// of returns the record of a job. The caller holds mu.
func (t *top) of(jid string) *heard {
	h := t.jobs[jid]
	if h == nil {
		h = newHeard()
		t.jobs[jid] = h
	}
	return h
}

// record returns a copy of the record of a job.
func (t *top) record(jid string) *heard {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := *t.of(jid)
	h.rets, h.first, h.named, h.ends = maps.Clone(h.rets), maps.Clone(h.first), maps.Clone(h.named), slices.Clone(h.ends)
	return &h
}

// forget drops the records of all jobs, which have been checked, and the looks before a
// time.
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

// whole returns an error if a member is not up in the top's tree, or if another top of the cluster is not
// connected or has not received everything.
func (t *top) whole(ctx context.Context) error {
	n, err := t.tree(ctx)
	if err != nil {
		return fmt.Errorf("ask %s for its tree: %w", t.id, err)
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
	for _, other := range n.Tops {
		if other.State != topology.Up || other.Behind > 0 {
			return fmt.Errorf("%s has the top at %s %s, %d requests behind: %s", t.id, other.Addr, other.State, other.Behind, other.Why)
		}
	}
	return nil
}
