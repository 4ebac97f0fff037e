package sim

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/ordering"
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
	moved       bool              // of minions that came at work on the job
	partial     bool              // of such minions alone: nobody has given the job to the node

	end int // that is all of a closed job, for the forwarder alone: the number of the word

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

// tell queues a word for every parent that it concerns, and sends it at once where
// it can.
func (n *node) tell(x word) {
	for _, l := range n.ups {
		if l.concerned(x.jid) || n.w.o.sabotage.tellAll {
			l.tell(x)
		}
	}
}

// concerned tells whether a parent should hear who has to answer a job: syndic's
// link.concerns.
func (l *link) concerned(jid string) bool {
	asked := l.child.origins[jid]
	return len(asked) == 0 || slices.Contains(asked, l)
}

func (l *link) tell(x word) {
	l.broken = l.broken || l.jid != "" && l.jid == x.jid // what is told of it still is older
	l.put(x)
	l.tellOn()
}

// tellOn sends what waits, one request at a time. Ends of jobs stay here: when a
// queue has come to one, the parent has taken all before it.
func (l *link) tellOn() {
	l.tellAgain()
	from := &l.answers
	if len(*from) == 0 {
		from = &l.words
	}
	if l.telling || !l.greeted || len(*from) == 0 {
		return
	}
	l.telling = true
	all := slices.Clone((*from)[:min(len(*from), l.w.o.Bounds.TellBatch)])
	*from = (*from)[len(all):]
	all = slices.DeleteFunc(all, func(x word) bool { return x.end > 0 && !l.lap.Counts(x.jid) })
	l.aloft = len(all)
	var batch, ends []word
	bytes := int64(0)
	for _, x := range all {
		if x.end > 0 {
			ends = append(ends, x)
			continue
		}
		batch = append(batch, x)
		bytes += x.bytes()
	}
	taken := func() {
		l.telling, l.aloft = false, 0
		for _, x := range ends {
			l.child.ended(l, x)
		}
		l.tellOn()
	}
	if len(batch) == 0 {
		taken()
		return
	}
	mark := l.numbers.Next()
	l.request(bytes, 0, func() (wire.Raw, error) {
		leave, err := l.parent.gate.Enter(l.child.id, mark)
		if late := (ordering.Late{}); errors.As(err, &late) && !l.w.o.sabotage.hearLate {
			return wire.Encode(late.Answer())
		}
		if err == nil {
			defer leave()
		}
		for _, x := range batch {
			l.parent.hears(l.child.id, x)
		}
		l.parent.told()
		l.parent.keepWord(batch)
		return wire.Raw{0xc0}, nil
	}, func(v wire.Raw, err error) {
		l.numbers.Done(mark)
		if _, late := ordering.ReadLate(v); err == nil && !late {
			taken()
			return
		}
		*from = slices.Concat(batch, ends, *from)
		l.fit()
		l.child.after(int64(200e6), func() {
			l.telling, l.aloft = false, 0
			l.tellOn()
		})
	})
}

// keepWord stores what was just told of jobs before it is acknowledged. Word of a
// job that is closed here is owed to the parents again: master.keepWord.
func (n *node) keepWord(batch []word) {
	if !n.w.o.sabotage.ackUnbooked {
		n.storeBooks()
	}
	var jobs []string
	for _, x := range batch {
		jobs = append(jobs, x.jid)
	}
	slices.Sort(jobs)
	for _, jid := range slices.Compact(jobs) {
		if _, open := n.open[jid]; !open && n.ledger.Closed(jid) {
			n.closed(jid)
		}
	}
}

// closed marks a job of which the parents that asked may not have heard who is
// missing, and tells them its end: master.closed.
func (n *node) closed(jid string) {
	if len(n.ups) == 0 || n.w.o.sabotage.forgetClosed {
		return
	}
	n.words++
	n.untold[jid] = n.words
	n.tell(word{jid: jid, end: n.words})
}

// ended notes that a parent has taken the words of a closed job: syndic's
// closings.note. When all that asked have, it needs not be told again.
func (n *node) ended(l *link, x word) {
	t := n.way.took[x.jid]
	if t.word > x.end {
		return
	}
	if t.word < x.end {
		t = taking{word: x.end}
	}
	t.links = append(t.links, l)
	n.way.took[x.jid] = t
	for _, a := range n.origins[x.jid] {
		if !slices.Contains(t.links, a) && !n.w.o.sabotage.oneHasHeard {
			return
		}
	}
	delete(n.way.took, x.jid)
	if n.untold[x.jid] == x.end {
		delete(n.untold, x.jid)
	}
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
	if x.expectation {
		x.node = under(x.node)
		state := string(ledger.NodeAnswered)
		if x.moved || x.partial { // that of its own minions may come still
			state = ""
		}
		if w.o.sabotage.movedIsPlain {
			x.moved = false
		}
		n.book(returners.Expectation{JID: x.jid, Node: x.node, Minions: x.minions, Missing: x.missing, State: state, At: w.clock()})
		if !hit(w.o.sabotage.forget) {
			n.ledger.Expect(x.jid, ledger.Expectation{Path: x.node, Minions: x.minions, Asked: x.asked, Moved: x.moved, Partial: x.partial})
			if len(x.missing) > 0 {
				gone := make(map[string]ledger.Missing, len(x.missing))
				for id, why := range x.missing {
					gone[id] = ledger.Missing{Reason: why, Path: x.node}
				}
				n.ledger.Gone(x.jid, gone, nil)
			}
		}
		n.oweMoved(x)
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
	if !w.o.sabotage.bookNews {
		n.bookMissing(x.jid, gone) // also if the ledger goes by the word of another node
	}
	n.ledger.Gone(x.jid, gone, nodes)
	if _, known := n.ledger.State(x.jid); !known {
		n.bookNodes(x.jid, nodes) // nobody else will: the account is closed and forgotten
	}
	n.tell(word{jid: x.jid, gone: gone, nodes: nodes})
}

// story tells a job from the start: who has to answer, node by node, and who will
// not: master.expectationEvents.
func (n *node) story(jid string) []word {
	var out []word
	most := n.w.o.Bounds.TellMinions
	a, known := n.ledger.State(jid)
	xs, _ := n.disk.GetExpectations(background, jid)
	if !known { // closed in an earlier life: what is stored
		a.Missing, a.Nodes = map[string]ledger.Missing{}, map[string]ledger.NodeState{}
		for _, x := range xs {
			for id, why := range x.Missing {
				a.Missing[id] = ledger.Missing{Reason: why, Path: x.Node}
			}
			if x.Node != "" && x.State != "" {
				a.Nodes[x.Node] = ledger.NodeState(x.State)
			}
		}
		n.disk.EachReturn(jid, func(r returners.Return) { delete(a.Missing, r.ID) }) // it came late, or over another node
	}
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
		missing := map[string]string{}
		for id, g := range a.Missing {
			if g.Path == x.Node && !n.w.o.sabotage.storyInParts {
				missing[id] = g.Reason
			}
		}
		out = append(out, word{jid: jid, expectation: true, node: x.Node, minions: x.Minions, asked: asked, missing: missing, partial: n.partial(x)}.pieces(most)...)
	}
	maps.DeleteFunc(a.Nodes, func(_ string, s ledger.NodeState) bool { return !silentState(string(s)) })
	if len(a.Missing)+len(a.Nodes) > 0 {
		out = append(out, word{jid: jid, gone: a.Missing, nodes: a.Nodes}.pieces(most)...)
	}
	return out
}

// partial tells whether a stored expectation is of minions alone that came at work
// on the job: master.partial.
func (n *node) partial(x returners.Expectation) bool {
	switch {
	case n.w.o.sabotage.wholeStory:
		return false
	case x.Node != "":
		return x.State != string(ledger.NodeAnswered)
	case n.ledger.Knows(x.JID):
		return n.ledger.Adopted(x.JID)
	}
	_, loaded, err := n.disk.GetLoad(background, x.JID)
	return err == nil && !returners.Given(loaded, x)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
