package master

import (
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// beyond remembers the syndics of nodes further down. A Python master counts
// them among its minions when it says who has to answer, but they never do; that
// they are syndics shows by the events it passes on under their names.
type beyond struct {
	mu    sync.RWMutex
	via   map[string]string // id → the node below this master that passed it on
	order []string
}

// maxBeyond bounds what is remembered; the oldest are forgotten, and learnt
// again with their next event.
const maxBeyond = 10000

func newBeyond() *beyond { return &beyond{via: map[string]string{}} }

func (b *beyond) add(id, via string) {
	b.mu.RLock()
	known := b.via[id] == via
	b.mu.RUnlock()
	if known {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, moved := b.via[id]; !moved {
		if len(b.order) >= maxBeyond {
			delete(b.via, b.order[0])
			b.order = b.order[1:]
		}
		b.order = append(b.order, id)
	}
	b.via[id] = via
}

// without leaves the syndics below a node out of its minions.
func (b *beyond) without(ids []string, via string) []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.DeleteFunc(ids, func(id string) bool { return b.via[id] == via })
}

// fromBeyond reads an event that a Python master below passes on under the name of
// a node of its own. It gives the data as seen from here, and whether the event
// was such a one.
func (m *Master) fromBeyond(node, tag string, data wire.Raw) (wire.Raw, bool) {
	rest, ok := strings.CutPrefix(tag, "syndic/")
	if !ok || m.presence.Role(node) != "" {
		return data, false
	}
	id, inner, _ := strings.Cut(rest, "/")
	if id == "" || inner == "" {
		return data, false
	}
	m.beyond.add(id, node)
	job := inner
	if rest, ok := strings.CutPrefix(inner, "salt/job/"); ok {
		job, _, _ = strings.Cut(rest, "/")
	}
	if !jid.Valid(job) {
		return data, true
	}
	m.ledger.IsNode(job, id)
	if job == inner && speaksOurs(data) {
		return m.expectationBelow(node+"/"+id, job, data), true
	}
	return data, true
}

// speaksOurs tells whether an expectation is that of a node of ours.
func speaksOurs(data wire.Raw) bool {
	has := false
	err := wire.Fields(data, func(key string, _ wire.Raw) error {
		has = has || key == "mom"
		return nil
	})
	return err == nil && has
}

// named is how many minions a target names one by one; 0 if it is a pattern.
func named(tgt any, tgtType string) int {
	switch tgtType {
	case "list":
		ids := listed(tgt)
		slices.Sort(ids)
		return len(slices.Compact(ids))
	case "glob":
		if id, ok := tgt.(string); ok && !strings.ContainsAny(id, "*?[") {
			return 1
		}
	}
	return 0
}
