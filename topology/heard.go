package topology

import (
	"sort"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Heard is a node known by gossip only.
type Heard struct {
	ID, Role, Version, Addr string
	Parent                  string // according to its record
	State                   State
	Since                   time.Time
	Minions                 int
	Trust                   string // vouched or pinned; see package gossip
}

// maxHeard bounds the entries read from a report.
const maxHeard = 4096

// SetHeard replaces the nodes known by gossip. Nodes of the tree are skipped.
func (t *Tree) SetHeard(all []Heard) {
	known := map[string]bool{}
	for _, a := range t.Path() {
		known[a.ID] = true
	}
	t.Skeleton().Walk(func(_ string, n Node) { known[n.ID] = true })
	var rest []Heard
	for _, h := range all {
		if !known[h.ID] {
			rest = append(rest, h)
		}
	}
	sort.Slice(rest, func(i, j int) bool { return rest[i].ID < rest[j].ID })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.self.Heard = rest
}

// SetKey sets the fingerprint of this node's own key.
func (t *Tree) SetKey(fingerprint string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.self.Key != fingerprint {
		t.self.Key = fingerprint
		t.touch(change{"", "", aHead})
	}
}

// Keys returns the key fingerprints of the nodes above and below by id, as reported in the tree.
// Ids with conflicting keys are omitted.
func (t *Tree) Keys() map[string]string {
	out := map[string]string{}
	add := func(id, key string) {
		if have, twice := out[id]; twice && have != key {
			key = ""
		}
		if key != "" || out[id] != "" {
			out[id] = key
		}
	}
	for _, a := range t.Path() {
		add(a.ID, a.Key)
	}
	t.Skeleton().Walk(func(path string, n Node) {
		if path != "" {
			add(n.ID, n.Key)
		}
	})
	return out
}

func heardWire(list []Heard) []any {
	out := make([]any, 0, len(list))
	for _, h := range list {
		out = append(out, wire.NewMap("id", h.ID, "role", h.Role, "version", h.Version, "addr", h.Addr, "parent", h.Parent,
			"state", string(h.State), "since", h.Since.UTC().Format(time.RFC3339Nano), "minions", int64(h.Minions), "trust", h.Trust))
	}
	return out
}

func heardFrom(list []any) (out []Heard) {
	for _, v := range list {
		m, ok := v.(*wire.Map)
		if !ok || m.String("id") == "" || len(out) == maxHeard {
			continue
		}
		h := Heard{
			ID: m.String("id"), Role: m.String("role"), Version: m.String("version"), Addr: m.String("addr"), Parent: m.String("parent"),
			State: state(m.String("state")), Trust: m.String("trust"),
		}
		h.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
		x, _ := m.Get("minions")
		n, _ := x.(int64)
		h.Minions = int(max(n, 0))
		out = append(out, h)
	}
	return out
}
