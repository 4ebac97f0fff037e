package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/master/engine"
)

// Tops of one cluster share their jobs. Compare master/publish/shared.go, master/cluster and
// syndic/tops.go.

const (
	// shareWait bounds how long a job waits for the other tops.
	shareWait = 300e6
	// shareAgain is the time until a request to a top that is away is sent again, shareAnswer that
	// until one without an answer is.
	shareAgain  = 1e9
	shareAnswer = 3e9
	// standBy is how long a top waits for the reports of nodes on a job of another top.
	standBy = 1500 * time.Millisecond
)

// clustered reports whether the node is a top of a cluster.
func (n *node) clustered() bool { return n.w.o.Cluster && len(n.ups) == 0 }

// publishShared carries out engine.Publish at a top of a cluster.
func (n *node) publishShared(e engine.Publish, j *job) {
	begun := func() {
		n.handedOut(j)
		if e.Early {
			n.must(n.engine.CountStored(background, e.JID))
		}
		n.begun(e.JID)
	}
	if !n.foreign[j] {
		n.share(j, func() {
			n.handOn(j)
			begun()
		})
		return
	}
	if !slices.Contains(n.pubs, j) {
		n.pubs = append(n.pubs, j)
	}
	begun()
}

// share passes a stored job to the other tops and then publishes it.
func (n *node) share(j *job, publish func()) {
	waits, over := 0, false
	done := func() {
		if !over {
			over = true
			publish()
		}
	}
	for _, p := range n.w.tops {
		if p == n {
			continue
		}
		if n.pass(p, j, func() {
			if waits--; waits == 0 {
				done()
			}
		}) {
			waits++
		}
	}
	if waits == 0 {
		done()
		return
	}
	n.after(shareWait, done)
}

// pass sends a job to another top until it answers or this life ends. now is false if that top is
// away.
func (n *node) pass(p *node, j *job, answered func()) (now bool) {
	w, life, got := n.w, n.life, false
	if !p.alive || w.knowsApart(n, p) {
		n.after(shareAgain, func() { n.pass(p, j, func() {}) })
		return false
	}
	n.after(shareAnswer, func() {
		if !got {
			n.pass(p, j, func() {})
		}
	})
	if w.o.sabotage.shareNothing || w.lost() || w.apart(n, p) {
		return true
	}
	w.after(w.o.Edge.draw(w.rng), func() {
		if !p.alive || w.apart(n, p) {
			return
		}
		p.takeShared(j, func() {
			w.after(w.o.Edge.draw(w.rng), func() {
				if n.alive && n.life == life && !got && !w.lost() && !w.apart(p, n) {
					got = true
					answered()
					n.runEffects()
				}
			})
		})
		p.runEffects()
	})
	return true
}

// takeShared opens the account of a job that another top publishes.
func (n *node) takeShared(j *job, done func()) {
	if slices.Contains(n.pubs, j) {
		done()
		return
	}
	n.foreign[j] = true
	n.publish(j, func(taken bool) {
		if taken {
			done()
		}
	})
}

// takeOver publishes a job of another top to nodes that have not reported it.
func (n *node) takeOver(e engine.TakeOver) {
	for _, s := range n.here(n.w.byJID[e.JID]) {
		if !n.foreign[s] {
			continue
		}
		for _, l := range n.downs {
			if l.seen && slices.Contains(e.Nodes, l.child.id) {
				n.w.reach(markTakenOver)
				l.hand(s, 0)
			}
		}
	}
}

// learnShared records the other tops as requesting a job.
func (l *link) learnShared(j *job) {
	if !l.parent.clustered() {
		return
	}
	for _, o := range l.child.ups {
		if o != l && o.parent.clustered() {
			o.learn(j)
		}
	}
}

// checkAgree checks that all tops of a cluster store the same returns.
func (w *World) checkAgree(fail func(string, ...any)) {
	if !w.o.Cluster {
		return
	}
	for _, j := range w.jobs {
		first := w.holds(w.tops[0], j)
		for _, top := range w.tops[1:] {
			if have := w.holds(top, j); !first.equal(have) {
				fail("job %s: %s stores %d returns, %s %d", j.jid, w.tops[0].id, first.count(), top.id, have.count())
			}
		}
	}
}

// clusterRuns makes the runs of a job at the other tops.
func (w *World) clusterRuns(j *job) {
	for k := 1; k < len(w.tops); k++ {
		j.runs = append(j.runs, &run{top: w.tops[(j.Top+k)%len(w.tops)], published: j.At, completed: -1, answered: true, shared: true})
	}
}

// validateCluster checks the options of a cluster.
func (o *Options) validateCluster() error {
	if !o.Cluster {
		return nil
	}
	if o.Shape.tops() < 2 {
		return fmt.Errorf("simulate: a cluster has at least two tops")
	}
	for i, j := range o.Jobs {
		if j.Twice > 0 || j.Queue > 0 || j.Slices > 1 || j.Batch.Size > 0 {
			return fmt.Errorf("simulate: job %d: in a cluster a job is not published twice, queued or cut", i)
		}
	}
	return nil
}
