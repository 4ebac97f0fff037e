package sim

import (
	"slices"
	"time"

	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// publish is the command at a top: it insists until the top takes the job.
func (w *World) publish(j *job, r *run) {
	top := r.top
	if slices.Contains(top.pubs, j) {
		return // the top died after it had stored the job: it goes on by itself
	}
	again := func() { w.after(int64(time.Second), func() { w.publish(j, r) }) }
	if !top.alive {
		again()
		return
	}
	w.trace(nil, "publishes %s at %s to %d minions", j.jid, top.id, j.targets)
	r.published = time.Duration(w.now)
	defer func() {
		if c := recover(); c != nil {
			again()
			panic(c)
		}
	}()
	if !top.publish(j) {
		again()
	}
	top.told()
}

// publish stores a job, opens its account, tells the parent who has to answer, and
// hands it on: the order of master.start. It tells whether the job was taken.
func (n *node) publish(j *job) bool {
	w := n.w
	spec := ledger.Job{JID: j.jid, Fun: j.Fun, Timeout: w.o.Timeout, Everyone: j.Part >= 1}
	var own []string
	away := map[string]string{}
	for i := range n.minions {
		if !j.wants(n.lo + i) {
			continue
		}
		id, live := n.minionID(i), n.minions[i].live()
		own = append(own, id)
		spec.Minions = append(spec.Minions, ledger.Minion{ID: id, Live: live})
		if live == ledger.Down {
			away[id] = ledger.NotConnected
		}
	}
	for _, m := range n.counted(j) {
		own = append(own, m.id())
		spec.Minions = append(spec.Minions, ledger.Minion{ID: m.id(), Live: ledger.Up})
	}
	var asked []string
	for _, l := range n.downs {
		c := l.child
		nd := ledger.Node{ID: c.id, Live: l.live()}
		if nd.Live == ledger.Up {
			asked = append(asked, c.id)
		} else {
			nd.Known = func() map[string]string { return n.known(c, j) }
		}
		spec.Nodes = append(spec.Nodes, nd)
	}
	n.point("before a job is stored")
	n.open[j.jid] = struct{}{}
	fresh, err := n.jobs.SaveJob(background, returners.Load{JID: j.jid, Raw: j.load, User: "root", At: w.clock()},
		returners.Expectation{JID: j.jid, Minions: own, At: w.clock()})
	if err != nil {
		n.unmark(j.jid)
		w.trace(n, "does not take %s: %v", j.jid, err)
		return false
	}
	fresh = fresh || n.ledger.Adopted(j.jid)
	if fresh && !slices.Contains(n.pubs, j) {
		n.pubs = append(n.pubs, j)
	}
	n.point("after a job is stored")
	if fresh || w.o.sabotage.tellWhoIsHere { // else what is stored is told
		n.tell(word{jid: j.jid, asked: asked, minions: own, missing: away, expectation: true})
	}
	if !fresh || n.ledger.Open(spec) != nil {
		n.again(j)
		return true
	}
	w.trace(n, "publishes %s to %d minions and %d nodes", j.jid, len(own), len(asked))
	n.point("before a job is handed on")
	n.handOn(j)
	n.countEarly(j.jid)
	return true
}

// unmark takes back the mark of a job unless its account is open.
func (n *node) unmark(jid string) {
	if a, ok := n.ledger.State(jid); !ok || !a.Open() {
		delete(n.open, jid)
	}
}

// countEarly enters returns that were here before the job, such as those that this
// node took in the place of another: master.countEarly.
func (n *node) countEarly(jid string) {
	if n.w.o.sabotage.lateCount {
		return
	}
	n.disk.EachReturn(jid, func(r returners.Return) {
		n.ledger.Returned(jid, r.ID, r.Via, r.Success && r.Retcode == 0)
	})
}

// handOn sends a publication to all who are connected.
func (n *node) handOn(j *job) {
	each := int64(n.w.o.Costs.Subscribe)
	for i := range n.minions {
		if n.minions[i].connected {
			wait := n.spend(each)
			if j.wants(n.lo + i) {
				n.give(i, j, wait)
			} else {
				n.count(down, n.w.publicationBytes(j))
			}
		}
	}
	for _, v := range n.guests {
		if v.here && j.wants(v.m.n.lo+int(v.m.i)) {
			n.giveGuest(v, j, n.spend(each))
		}
	}
	for _, l := range n.downs {
		if l.seen { // any other gets it when it has made itself known
			l.hand(j, n.spend(each))
		}
	}
}

// again ends the publication of a job that is known, by a second way or from an
// earlier try: master.again.
func (n *node) again(j *job) {
	n.unmark(j.jid)
	if n.w.o.sabotage.runAgain {
		n.handOn(j)
	}
	closed := n.ledger.Closed(j.jid)
	if len(n.ups) == 0 {
		return
	}
	for _, x := range n.story(j.jid) { // who asks now has not heard
		if n.w.o.sabotage.againInBrief && !closed {
			if !x.expectation || x.node != "" {
				continue
			}
			x.missing = nil
		}
		n.tell(x)
	}
	if closed {
		n.closed(j.jid)
	}
}

// known lists the minions behind a node that the target matches, by path.
func (n *node) known(c *node, j *job) map[string]string {
	out := map[string]string{}
	sub, _ := n.tree.Node(c.id)
	sub.Walk(func(path string, nd topology.Node) {
		at := c.id
		if path != "" {
			at += "/" + path
		}
		for _, m := range nd.Minions {
			if j.wants(n.w.index(m.ID)) {
				out[m.ID] = at
			}
		}
	})
	return out
}

// index is the number of a minion, from its id.
func (w *World) index(id string) int {
	n := 0
	for _, c := range id[1:] {
		n = n*10 + int(c-'0')
	}
	return n
}

func (m *minion) live() ledger.Liveness {
	switch {
	case !m.tracked():
		return ledger.Untracked
	case m.connected:
		return ledger.Up
	}
	return ledger.Down
}

// restore opens the accounts of an earlier life again, as master.restore does.
func (n *node) restore() {
	if n.w.o.sabotage.deafStart {
		return
	}
	for _, j := range n.w.jobs {
		if _, open := n.open[j.jid]; !open {
			continue
		}
		_, loaded, _ := n.disk.GetLoad(background, j.jid)
		xs, _ := n.disk.GetExpectations(background, j.jid)
		if !returners.Given(loaded, xs...) {
			if !n.adoptAgain(j.jid) {
				delete(n.open, j.jid)
			}
			n.told()
			continue
		}
		n.restoreJob(j, xs)
	}
}

func (n *node) restoreJob(j *job, xs []returners.Expectation) {
	spec := ledger.Job{JID: j.jid, Fun: j.Fun, Timeout: n.w.o.Timeout}
	for _, x := range xs {
		if x.Node != "" {
			continue
		}
		for _, id := range x.Minions {
			m := n.w.minion(n.w.index(id))
			lm := ledger.Minion{ID: id, Live: ledger.Away, Grace: n.w.o.Lease}
			if !m.tracked() {
				lm.Live = ledger.Untracked
			}
			spec.Minions = append(spec.Minions, lm)
		}
	}
	for _, l := range n.downs {
		spec.Nodes = append(spec.Nodes, ledger.Node{ID: l.child.id, Live: ledger.Up})
	}
	if n.ledger.Open(spec) != nil {
		return
	}
	for _, x := range xs {
		if x.Node != "" && (!silentState(x.State) || len(x.Minions) > 0) {
			n.ledger.Expect(j.jid, ledger.Expectation{Path: x.Node, Minions: x.Minions, Partial: n.partial(x)})
		}
	}
	for _, x := range xs { // after all have said whom they ask: another may have whom one misses
		gone := map[string]ledger.Missing{}
		for id, why := range x.Missing {
			gone[id] = ledger.Missing{Reason: why, Path: x.Node}
		}
		n.ledger.Gone(j.jid, gone, nil)
	}
	n.ledger.Gone(j.jid, nil, silentIn(xs))
	rets := 0
	n.disk.EachReturn(j.jid, func(r returners.Return) {
		rets++
		n.ledger.Returned(j.jid, r.ID, r.Via, r.Success && r.Retcode == 0)
	})
	n.w.trace(n, "takes %s up again with %d returns", j.jid, rets)
	n.told()
}

// complete ends a job at this node.
func (n *node) complete(a ledger.Account) {
	j := n.w.byJID[a.JID]
	n.w.trace(n, "completes %s: expected %d, returned %d, failed %d, missing %d", a.JID, a.Expected, a.Returned, a.Failed, len(a.Missing))
	if !n.w.o.sabotage.ackUnbooked {
		n.storeBooks() // before the mark goes: a restart has to know who is missing
	}
	delete(n.open, a.JID)
	if len(n.ups) > 0 {
		n.closed(a.JID)
		n.flush()
		return
	}
	r := j.at(n)
	if r == nil { // word of a job of another top
		return
	}
	r.closings++
	if r.completed < 0 {
		r.completed, r.gaveUp = time.Duration(n.w.now), a.Missing
	}
	r.account.of(a)
}

// missing passes on who will not answer.
func (n *node) missing(f finding) {
	n.w.trace(n, "misses %d minions and hears of %d nodes for %s", len(f.missing), len(f.nodes), f.jid)
	n.tell(word{jid: f.jid, gone: f.missing, nodes: f.nodes})
	n.bookMissing(f.jid, f.missing)
	n.bookNodes(f.jid, f.nodes)
}

func (n *node) bookMissing(jid string, missing map[string]ledger.Missing) {
	byPath := map[string]map[string]string{}
	for id, g := range missing {
		if byPath[g.Path] == nil {
			byPath[g.Path] = map[string]string{}
		}
		byPath[g.Path][id] = g.Reason
	}
	for _, path := range sortedKeys(byPath) {
		n.book(returners.Expectation{JID: jid, Node: path, Missing: byPath[path], At: n.w.clock()})
	}
}

// bookNodes stores soon which nodes are silent or cannot be reached.
func (n *node) bookNodes(jid string, nodes map[string]ledger.NodeState) {
	for _, path := range sortedKeys(nodes) {
		n.book(returners.Expectation{JID: jid, Node: path, State: string(nodes[path]), At: n.w.clock()})
	}
}

func silentState(s string) bool {
	return s == string(ledger.NodeSilent) || s == string(ledger.NodeUnreachable)
}

// silentIn gives the nodes that are stored as silent or out of reach.
func silentIn(xs []returners.Expectation) map[string]ledger.NodeState {
	out := map[string]ledger.NodeState{}
	for _, x := range xs {
		if silentState(x.State) {
			out[x.Node] = ledger.NodeState(x.State)
		}
	}
	return out
}

// bookDelay is how long what a node was told of a job waits for its commit.
const bookDelay = 2e6

// book stores soon, as master/books does.
func (n *node) book(x returners.Expectation) {
	if n.books = append(n.books, x); len(n.books) > 1 {
		return
	}
	n.after(bookDelay, n.storeBooks)
}

func (n *node) storeBooks() {
	if len(n.books) == 0 {
		return
	}
	xs := n.books
	n.books = nil
	n.point("before expectations are stored")
	if err := n.jobs.SaveExpectations(background, xs...); err != nil {
		panic(err) // the outbox bound does not hold for them
	}
}
