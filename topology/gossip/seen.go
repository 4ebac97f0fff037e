package gossip

import (
	"sort"
	"time"

	"github.com/hashicorp/memberlist"
)

// Seen is a node as gossip knows it.
type Seen struct {
	Record
	Alive   bool      // a hint: a busy node may count as dead
	Since   time.Time // time of the last change of Alive; zero if unknown
	Trust   Trust
	Lives   int  // live members of this id; more than one are two nodes
	Strange bool // a record of this id with another key was refused
}

// mark is called by memberlist with its locks held, so it must not call back.
func (g *Gossip) mark(n *memberlist.Node, alive bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.alive[n.Name] == alive {
		return
	}
	if alive {
		g.alive[n.Name] = true
	} else {
		delete(g.alive, n.Name)
	}
	g.since[idOf(n.Name)] = g.now()
}

// Nodes returns all known nodes including this one, by id.
func (g *Gossip) Nodes() []Seen {
	rows, strange := g.table.snapshot()
	lives := map[string]int{}
	g.mu.Lock()
	for name := range g.alive {
		lives[idOf(name)]++
	}
	out := make([]Seen, 0, len(rows))
	for id, s := range rows {
		out = append(out, Seen{Record: s.Record, Alive: lives[id] > 0, Since: g.since[id], Lives: lives[id], Strange: strange[id] != ""})
	}
	g.mu.Unlock()
	for i := range out {
		out[i].Trust = Pinned
		if g.o.Vouched(out[i].ID) == fingerprint(rows[out[i].ID].key) {
			out[i].Trust = Vouched
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// forget drops nodes that have been dead for forgetAfter.
func (g *Gossip) forget() {
	var gone []string
	for _, s := range g.Nodes() {
		if !s.Alive && !s.Since.IsZero() && g.now().Sub(s.Since) > forgetAfter {
			gone = append(gone, s.ID)
		}
	}
	g.table.drop(gone)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range gone {
		delete(g.since, id)
	}
}
