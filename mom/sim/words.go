package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// word is what a node tells its parent of a job: who has to answer, or who will
// not. Paths are seen from the node that tells it.
type word struct {
	jid         string
	expectation bool
	node        string // whose expectation: the path below the node that tells
	minions     []string
	asked       []string
	missing     map[string]string // of the expectation: not connected

	gone  map[string]ledger.Missing
	nodes map[string]ledger.NodeState
}

func (x word) bytes() int64 {
	n := 120
	if len(x.minions) > 0 {
		n += len(x.minions) * (len(x.minions[0]) + 1)
	}
	return int64(n + 20*len(x.asked) + 30*len(x.missing) + 50*len(x.gone) + 30*len(x.nodes))
}

// tell queues a word for the parent and sends it at once if it can.
func (n *node) tell(x word) {
	if n.up == nil {
		return
	}
	n.up.words = append(n.up.words, x)
	n.up.tellOn()
}

// wordsBatch is how many words one request holds.
const wordsBatch = 1000

// tellOn sends what waits, one request at a time.
func (l *link) tellOn() {
	if l.telling || !l.greeted || len(l.words) == 0 {
		return
	}
	l.telling = true
	batch := l.words[:min(len(l.words), wordsBatch)]
	l.words = l.words[len(batch):]
	bytes := int64(0)
	for _, x := range batch {
		bytes += x.bytes()
	}
	l.request(bytes, 0, func() (wire.Raw, error) {
		for _, x := range batch {
			l.parent.hears(l.child.id, x)
		}
		l.parent.told()
		if !l.w.o.sabotage.ackUnbooked {
			l.parent.storeBooks()
		}
		return wire.Raw{0xc0}, nil
	}, func(_ wire.Raw, err error) {
		if err == nil {
			l.telling = false
			l.child.toldOf(batch)
			l.tellOn()
			return
		}
		l.words = append(slices.Clone(batch), l.words...)
		l.child.after(int64(200e6), func() {
			l.telling = false
			l.tellOn()
		})
	})
}

// hears enters what a node below tells, and passes it on: master.fromBelow.
func (n *node) hears(from string, x word) {
	under := func(path string) string {
		if path == "" {
			return from
		}
		return from + "/" + path
	}
	w := n.w
	if _, open := n.open[x.jid]; !open && n.up != nil && !w.o.sabotage.forgetClosed {
		n.untold[x.jid] = struct{}{} // late word: master.keepWord
	}
	if x.expectation {
		x.node = under(x.node)
		n.book(returners.Expectation{JID: x.jid, Node: x.node, Minions: x.minions, Missing: x.missing, State: string(ledger.NodeAnswered), At: w.clock()})
		if !hit(w.o.sabotage.forget) {
			n.ledger.Expect(x.jid, ledger.Expectation{Path: x.node, Minions: x.minions, Asked: x.asked})
			if len(x.missing) > 0 {
				gone := make(map[string]ledger.Missing, len(x.missing))
				for id, why := range x.missing {
					gone[id] = ledger.Missing{Reason: why, Path: x.node}
				}
				n.ledger.Gone(x.jid, gone, nil)
			}
		}
		n.tell(x)
		return
	}
	gone := make(map[string]ledger.Missing, len(x.gone))
	for id, g := range x.gone {
		gone[id] = ledger.Missing{Reason: g.Reason, Path: under(g.Path)}
	}
	nodes := make(map[string]ledger.NodeState, len(x.nodes))
	for path, s := range x.nodes {
		nodes[under(path)] = s
	}
	n.ledger.Gone(x.jid, gone, nodes)
	if _, known := n.ledger.State(x.jid); !known {
		n.bookMissing(x.jid, gone) // nobody else will: the account is closed and forgotten
		n.bookNodes(x.jid, nodes)
	}
	n.tell(word{jid: x.jid, gone: gone, nodes: nodes})
}

// openExpectations tells the parent again who has to answer the open jobs:
// master.OpenExpectations.
func (n *node) openExpectations() {
	if n.w.o.sabotage.keepSilent {
		return
	}
	jobs := n.ledger.Active()
	jobs = append(jobs, slices.Collect(maps.Keys(n.untold))...)
	slices.Sort(jobs)
	for _, jid := range slices.Compact(jobs) {
		a, _ := n.ledger.State(jid)
		xs, _ := n.disk.GetExpectations(background, jid)
		for _, x := range xs {
			if x.Node != "" && silentState(x.State) && len(x.Minions) == 0 {
				continue
			}
			var asked []string
			if x.Node == "" {
				for _, path := range sortedKeys(a.Nodes) {
					if !strings.Contains(path, "/") && a.Nodes[path] != ledger.NodeUnreachable {
						asked = append(asked, path)
					}
				}
			}
			n.tell(word{jid: jid, expectation: true, node: x.Node, minions: x.Minions, asked: asked})
		}
		gone := a.Missing
		if len(gone) == 0 { // closed in an earlier life: what is stored
			gone = map[string]ledger.Missing{}
			for _, x := range xs {
				for id, why := range x.Missing {
					gone[id] = ledger.Missing{Reason: why, Path: x.Node}
				}
			}
		}
		if nodes := silentIn(xs); len(gone) > 0 || len(nodes) > 0 {
			n.tell(word{jid: jid, gone: gone, nodes: nodes})
		}
	}
}

// toldOf notes that the parent has taken words: a closed job of which nothing
// waits any more needs not be told again.
func (n *node) toldOf(batch []word) {
	for _, x := range batch {
		waits := slices.ContainsFunc(n.up.words, func(y word) bool { return y.jid == x.jid })
		if _, open := n.open[x.jid]; !open && !waits {
			delete(n.untold, x.jid)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
