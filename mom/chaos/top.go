//go:build linux

package chaos

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// top is a master of masters as its operator sees it: jobs go in, events come out.
type top struct {
	id     string
	client *client.Client
	bus    bus.ClientConfig

	mu        sync.Mutex
	rets      map[string]map[string]int // return events: jid → minion → how often
	completes map[string][]ended
	missing   map[string]map[string]string // told while the job was open: jid → minion or node → reason
}

// ended is an event salt/job/<jid>/complete.
type ended struct {
	expected, returned, failed int
	missing                    map[string]string
	nodes                      map[string]string
}

func newTop(id string, o client.Options) *top {
	o.Timeout = 8 * time.Second
	return &top{
		id: id, client: client.New(o), bus: o.Bus,
		rets: map[string]map[string]int{}, completes: map[string][]ended{}, missing: map[string]map[string]string{},
	}
}

// watch listens to the event bus through all lives of the master.
func (t *top) watch(ctx context.Context) {
	for ctx.Err() == nil {
		c, err := bus.Dial(ctx, t.bus)
		if err != nil {
			_ = sleep.For(ctx, 50*time.Millisecond)
			continue
		}
		for {
			e, err := c.Next(ctx)
			if err != nil {
				break
			}
			t.hear(e)
		}
		_ = c.Close() // it is broken
	}
}

func (t *top) hear(e bus.Event) {
	parts := strings.Split(e.Tag, "/")
	if len(parts) < 4 || parts[0] != "salt" || parts[1] != "job" || e.Copy {
		return
	}
	jid := parts[2]
	t.mu.Lock()
	defer t.mu.Unlock()
	switch parts[3] {
	case "ret":
		if t.rets[jid] == nil {
			t.rets[jid] = map[string]int{}
		}
		t.rets[jid][parts[len(parts)-1]]++
	case "missing", "complete":
		if e.Origin != "" { // of a node below: not this master's account
			return
		}
		d, err := wire.DecodeMap(e.Data)
		if err != nil {
			return
		}
		gone := reasons(d.Map("missing"))
		if t.missing[jid] == nil {
			t.missing[jid] = map[string]string{}
		}
		maps.Copy(t.missing[jid], gone)
		if parts[3] == "complete" {
			t.completes[jid] = append(t.completes[jid], ended{
				expected: int(d.Int("expected")), returned: int(d.Int("returned")), failed: int(d.Int("failed")),
				missing: gone, nodes: texts(d.Map("nodes")),
			})
		}
	}
}

func reasons(m *wire.Map) map[string]string {
	out := map[string]string{}
	if m == nil {
		return out
	}
	for _, k := range m.Keys() {
		id, _ := k.(string)
		if v := m.Map(id); v != nil {
			out[id] = v.String("reason")
		}
	}
	return out
}

func texts(m *wire.Map) map[string]string {
	out := map[string]string{}
	if m == nil {
		return out
	}
	for _, k := range m.Keys() {
		id, _ := k.(string)
		out[id] = m.String(id)
	}
	return out
}

// ends gives the accounts that were told of a job.
func (t *top) ends(jid string) []ended {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]ended(nil), t.completes[jid]...)
}

// forget drops what was heard of jobs that have been checked.
func (t *top) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.rets)
	clear(t.completes)
	clear(t.missing)
}

// tree asks the master for its tree.
func (t *top) tree(ctx context.Context) (topology.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return topology.Ask(ctx, t.client)
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
