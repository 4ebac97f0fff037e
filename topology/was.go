package topology

import (
	"maps"
	"slices"
	"time"
)

// Was names the nodes that a minion or child node was at not long before: they may have returns of it
// or from below it, which only they can hand up.
type Was struct {
	ID    string
	Nodes []string // sorted
}

func (w Was) equal(o Was) bool { return w.ID == o.ID && slices.Equal(w.Nodes, o.Nodes) }

const (
	// wasMemory is how long an announcement of them counts.
	wasMemory = time.Hour
	// maxWas bounds the ids of one node, maxWasNodes the nodes of one id.
	maxWas      = 4096
	maxWasNodes = 8
	// maxWasID bounds the id of a node, in bytes.
	maxWasID = 255
)

// was is what an id announced of itself.
type was struct {
	nodes []string
	at    time.Time
}

// SetWas sets the nodes that a minion or child node has announced to have been at, none if nodes is empty.
func (t *Tree) SetWas(id string, nodes []string) {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return n == "" || n == t.self.ID || len(n) > maxWasID })
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	nodes = nodes[:min(len(nodes), maxWasNodes)]
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.was[id]
	switch {
	case len(nodes) == 0 && !known:
		return
	case len(nodes) == 0:
		delete(t.was, id)
	case !known && len(t.was) >= maxWas:
		return
	default:
		t.was[id] = was{nodes, t.now()}
	}
	if !slices.Equal(old.nodes, nodes) {
		t.touch(change{"", "", aHead})
	}
}

// wasNow returns what still counts, by id. t.mu is held.
func (t *Tree) wasNow() (out []Was) {
	for _, id := range slices.Sorted(maps.Keys(t.was)) {
		if w := t.was[id]; t.now().Sub(w.at) <= wasMemory {
			out = append(out, Was{id, w.nodes})
		} else {
			delete(t.was, id)
		}
	}
	return out
}

func wasWire(all []Was) []any {
	out := make([]any, 0, len(all))
	for _, w := range all {
		nodes := make([]any, len(w.Nodes))
		for i, n := range w.Nodes {
			nodes[i] = n
		}
		out = append(out, []any{w.ID, nodes})
	}
	return out
}

// wasFrom decodes what wasWire encoded; it skips invalid entries.
func wasFrom(list []any) (out []Was) {
	for _, v := range list {
		f, ok := v.([]any)
		if !ok || len(f) != 2 || len(out) == maxWas {
			continue
		}
		id, _ := f[0].(string)
		nodes, _ := f[1].([]any)
		texts := slices.DeleteFunc(textsOf(nodes), func(n string) bool { return len(n) > maxWasID })
		if id != "" && len(texts) > 0 {
			out = append(out, Was{id, texts[:min(len(texts), maxWasNodes)]})
		}
	}
	return out
}
