package master

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// The events of the tree. Each is fired by the lowest node that sees it, and
// passed on upward like any other; its path grows on the way.
const (
	nodeUp       = "topology/node/up"
	nodeDown     = "topology/node/down"
	nodeRehomed  = "topology/node/rehomed"
	nodeDegraded = "topology/node/degraded"
)

func (m *Master) treeEvent(tag, id, path string, more ...any) {
	d := wire.NewMap("id", id, "path", path, "time", m.now().UTC().Format(time.RFC3339Nano))
	for i := 0; i+1 < len(more); i += 2 {
		d.Set(more[i], more[i+1])
	}
	m.fire(tag, d)
}

// tellNode fires the event of a node right below.
func (m *Master) tellNode(tag, id string) {
	m.log.Info("A node below changed", "node", id, "event", tag)
	m.treeEvent(tag, id, id)
}

// topologyBelow gives an event of the tree as seen from here: its paths begin
// with the node that passes it on.
func (m *Master) topologyBelow(node string, data wire.Raw) wire.Raw {
	d, err := wire.DecodeMap(data)
	if err != nil {
		return data
	}
	for _, key := range []string{"path", "from", "to"} {
		if p, ok := d.Get(key); ok {
			if text, ok := p.(string); ok {
				if text != "" {
					text = "/" + text
				}
				d.Set(key, node+text)
			}
		}
	}
	b, err := wire.Encode(d)
	if err != nil {
		return data
	}
	return b
}

// treeEvery is how often this master's own figures are read and problems are
// looked for; changes of the tree are looked at after treeSoon.
const (
	treeEvery = 5 * time.Second
	treeSoon  = 250 * time.Millisecond
)

// watchTree keeps this master's figures and tells what happens to the nodes
// below.
func (m *Master) watchTree(h *hearsay) {
	every := time.NewTicker(treeEvery)
	defer every.Stop()
	changed, stop := m.tree.Watch()
	defer stop()
	w, started := newTreeWatch(), m.now()
	pause := time.NewTimer(treeSoon)
	defer pause.Stop()
	m.tellDraining() // the mark survives restarts
	for {
		m.tree.SetVitals(m.vitals(started))
		h.compare()
		n := m.tree.Skeleton()
		for _, moved := range w.moves(n) {
			m.log.Info("A node has moved", "node", moved.id, "from", moved.from, "to", moved.to)
			m.treeEvent(nodeRehomed, moved.id, moved.to, "from", moved.from, "to", moved.to)
		}
		for _, p := range w.fresh(topology.NodeProblems(n), len(m.tree.Path()) == 1) {
			path := below(p.Path)
			m.log.Warn("The tree has a problem", "kind", p.Kind, "path", p.Path, "detail", p.Detail)
			m.treeEvent(nodeDegraded, lastOf(p.Path), path, "kind", string(p.Kind), "detail", p.Detail)
		}
		select { // changes that follow each other closely are looked at once
		case <-m.ctx.Done():
			return
		case <-pause.C:
		}
		select {
		case <-m.ctx.Done():
			return
		case <-every.C:
		case <-changed:
		}
		pause.Reset(treeSoon)
	}
}
