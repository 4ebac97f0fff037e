package sim

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// publish plays the publishing command at a top. It retries until the top accepts the job.
func (w *World) publish(j *job, r *run) {
	if j.Batch.Size > 0 {
		w.publishBatch(j, r)
		return
	}
	top := r.top
	if slices.Contains(top.pubs, j) {
		w.publishNext(j, r)
		return // the top died after storing the job: it resumes the job on restart
	}
	again := func() { w.after(int64(time.Second), func() { w.publish(j, r) }) }
	if !top.alive {
		again()
		return
	}
	w.trace(nil, "publishes %s at %s to %d minions", j.jid, top.id, j.targets)
	if j.slice == 0 {
		r.published = time.Duration(w.now)
	}
	answer := func() {}
	defer func() {
		if c := recover(); c != nil {
			answer()
			again()
			panic(c)
		}
	}()
	answer = w.unlessItDies(top, again)
	top.publish(j, func(taken bool) {
		answer()
		r.answered = taken
		if !taken {
			again()
			return
		}
		w.publishNext(j, r)
	})
	top.runEffects()
}

// unlessItDies calls again if the node dies before answer is called: it may be waiting for its disk.
func (w *World) unlessItDies(n *node, again func()) (answer func()) {
	life, answered := n.life, false
	var look func()
	look = func() {
		switch {
		case answered:
		case n.life != life:
			again()
		default:
			w.after(int64(time.Second), look)
		}
	}
	w.after(int64(time.Second), look)
	return func() { answered = true }
}

// publish publishes a job at the node and calls done, which says whether the node accepted it.
func (n *node) publish(j *job, done func(taken bool)) {
	p := engine.Publication{
		Spec:  engine.Job{JID: j.jid, Fun: j.Fun, Timeout: n.w.o.Timeout, Everyone: j.Part >= 1 && !j.inSlices(), Queue: j.Queue > 0, Part: j.slice},
		Load:  returners.Load{JID: j.jid, User: "root", At: n.wall()},
		Early: true,
	}
	p.Load.Raw, p.Grows = n.grows(j)
	p.Runs = func(id string) bool { return n.present(id) != nil && n.brought[id][j.jid] }
	if n.foreign[j] {
		p.Spec.StandBy = standBy
	}
	for i := range n.minions {
		if j.wants(n.lo + i) {
			p.Spec.Minions = append(p.Spec.Minions, engine.Minion{ID: n.minionID(i), Live: n.minions[i].live()})
		}
	}
	for _, m := range n.counted(j) {
		p.Spec.Minions = append(p.Spec.Minions, engine.Minion{ID: m.id(), Live: engine.Up})
	}
	for _, m := range p.Spec.Minions {
		p.Minions = append(p.Minions, m.ID)
	}
	p.Spec.Unclaimed = n.unclaimed(j)
	for _, l := range n.downs {
		c := l.child
		p.Spec.Nodes = append(p.Spec.Nodes, engine.Node{ID: c.id, Live: l.live(), Known: func() map[string]string { return n.known(c, j) }})
	}
	if n.engine.Untried() > n.w.o.Bounds.WordQueue && (p.Grows || !n.runs(j)) {
		n.w.reach(markCrowd)
		done(false)
		return
	}
	n.point("before a job is stored")
	p.Kept = n.retain(j)
	s, known, err := n.engine.Publish(background, p)
	if n.afterTheEnd(j, err, done) {
		return
	}
	if p.Grows {
		n.w.reach(markGrown)
	}
	n.skipped, n.begins[j.jid] = "", j
	said := &n.said[j.n]
	said.begun++
	n.starts[j.jid] = func() { done(true) }
	if !known {
		if err := n.save(storeJob, s.Batch); err != nil {
			n.w.trace(n, "does not take %s: %v", j.jid, err)
			if errors.Is(err, jobstore.ErrOutboxFull) {
				n.w.reach(markJobFull)
			}
			said.begun--
			delete(n.starts, j.jid)
			if p.Kept != nil {
				n.queues.Drop(j.jid)
			}
			n.engine.Saved(s, returners.Result{}, err)
			done(false)
			return
		}
		n.pubs, n.kept[j] = append(n.pubs, j), true // stored with the job
		n.point("after a job is stored")
		n.engine.Saved(s, returners.Result{}, nil)
	} else if n.w.o.sabotage.runAgain {
		n.handOn(j)
	}
	said.again = known
	n.runEffects()
	said.again = false
	if n.skipped == j.jid && p.Kept != nil {
		n.queues.Drop(j.jid) // it is over here
	}
}

// runs reports whether the job was published before. A repetition stores nothing.
func (n *node) runs(j *job) bool {
	known, err := n.engine.Known(background, j.jid)
	n.must(err)
	return known
}

// begun answers the publisher of a job.
func (n *node) begun(jid string) {
	if done := n.starts[jid]; done != nil {
		delete(n.starts, jid)
		done()
	}
}

// handOn sends a publication to all connected peers.
func (n *node) handOn(j *job) {
	if !slices.Contains(n.pubs, j) {
		n.pubs = append(n.pubs, j) // published in an earlier life and adopted in this one
	}
	n.w.trace(n, "publishes %s", j.jid)
	n.point("before a job is sent")
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
		if l.seen { // others get it with their greeting
			l.hand(j, n.spend(each))
		}
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

// index returns the number of a minion from its id.
func (w *World) index(id string) int {
	n := 0
	for _, c := range id[1:] {
		n = n*10 + int(c-'0')
	}
	return n
}

func (m *minion) live() engine.Liveness {
	switch {
	case !m.tracked():
		return engine.Untracked
	case m.connected:
		return engine.Up
	}
	return engine.Down
}

// restore resumes the jobs of an earlier life.
func (n *node) restore() {
	if n.w.o.sabotage.deafStart {
		return
	}
	if n.queues != nil {
		n.queues.TakeUpQueues(background)
	}
	for _, jid := range n.noted(returners.NoteOpen) {
		known, err := n.engine.Restore(background, jid, peers{n})
		n.must(err)
		if known {
			n.w.trace(n, "restores %s", jid)
		}
		if !known && n.queues != nil {
			n.queues.Drop(jid)
		}
		n.runEffects()
	}
	if n.queues != nil {
		n.queues.TakeUp() // publications that were not sent keep their serials
		n.runEffects()
	}
}

// peers describes the peers of a node at the start of a life.
type peers struct{ n *node }

// Grace gives each peer the lease of one that was connected.
func (p peers) Grace(string) (engine.Liveness, time.Duration) { return engine.Away, p.n.w.o.Lease }

// Spec describes a job of an earlier life.
func (p peers) Spec(load returners.Load, minions []string) engine.Job {
	n := p.n
	j := n.w.byJID[load.JID]
	spec := engine.Job{JID: j.jid, Fun: j.Fun, Timeout: n.w.o.Timeout, Queue: j.Queue > 0 && j.deadline().After(n.wall())}
	for _, s := range n.here(j) {
		spec.Unclaimed = append(spec.Unclaimed, n.unclaimed(s)...)
	}
	for _, id := range minions {
		lm := engine.Minion{ID: id, Live: engine.Away, Grace: n.w.o.Lease}
		if !n.w.minion(n.w.index(id)).tracked() {
			lm.Live = engine.Untracked
		}
		spec.Minions = append(spec.Minions, lm)
	}
	for _, l := range n.downs {
		spec.Nodes = append(spec.Nodes, engine.Node{ID: l.child.id, Live: engine.Up, Known: func() map[string]string {
			out := map[string]string{}
			for _, s := range n.here(j) {
				maps.Copy(out, n.known(l.child, s))
			}
			return out
		}})
	}
	return spec
}

// complete handles the end of a job at this node.
func (n *node) complete(a engine.Account) {
	j := n.w.byJID[a.JID]
	n.w.trace(n, "completes %s: expected %d, returned %d, failed %d, missing %d", a.JID, a.Expected, a.Returned, a.Failed, len(a.Missing))
	if len(n.ups) > 0 {
		n.flush()
		return
	}
	r := j.at(n)
	if r == nil { // reports of a job of another top
		return
	}
	r.closings++
	if r.completed < 0 {
		r.completed, r.gaveUp = time.Duration(n.w.now), a.Missing
	}
	r.account.of(a)
}

func silentState(s string) bool {
	return s == string(jobevent.NodeSilent) || s == string(jobevent.NodeUnreachable)
}

// silentIn returns the nodes stored as silent or unreachable.
func silentIn(xs []returners.Expectation) map[string]jobevent.NodeState {
	out := map[string]jobevent.NodeState{}
	for _, x := range xs {
		if silentState(x.State) {
			out[x.Node] = jobevent.NodeState(x.State)
		}
	}
	return out
}
