package sim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/returns"
)

// maxFaults is how many violations Check lists.
const maxFaults = 12

// Check returns an error that lists the violated promises. Once the tree has come to rest:
//
//   - each return of a minion that has run a job is stored at its node and at every
//     master above that requested the job, once, and was counted as new once; no other
//     return is stored; no minion has run a job twice;
//   - each job was completed at each top that published it, and expected = returned + failed + missing;
//   - each minion of the target has a row, or is named as missing, or is behind a node
//     that is named as silent or unreachable; the store of the top agrees;
//   - no row is pending, and no account is open;
//   - no sweep has found rows that should have been sent without it.
//
// Call it after Run.
func (w *World) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	w.held = map[stored]rowSet{}
	for _, n := range w.nodes {
		w.checkNode(n, fail)
	}
	for _, j := range w.jobs {
		w.checkJob(j, fail)
		if j.Batch.Size > 0 {
			w.checkBatch(j, fail)
		}
	}
	w.checkAgree(fail)
	w.held = nil
	errs = append(errs, w.breaches...)
	for _, by := range sortedKeys(w.rescues.Counts()) {
		fail("%s rescued %d rows or jobs that should have needed no rescue", by, w.rescues.Counts()[by])
	}
	w.Report() // before checkAges removes everything
	w.checkAges(fail)
	if len(errs) > maxFaults {
		errs = append(errs[:maxFaults], fmt.Errorf("and %d more", len(errs)-maxFaults))
	}
	return errors.Join(errs...)
}

func (w *World) checkNode(n *node, fail func(string, ...any)) {
	pending := n.disk.OutboxDests()
	for _, to := range sortedKeys(pending) {
		if rejected(to) {
			n.w.reach(markSetAside)
			n.checkSetAside(to, func(it returners.Item) {
				fail("%s set aside the return of %s to %s: %s", n.id, it.ID, it.JID, it.Error)
			})
			continue
		}
		fail("%s still has %d returns pending for %s", n.id, pending[to], to)
	}
	for _, jid := range sortedKeys(n.waitsFor) {
		fail("%s has not closed %s: %s", n.id, jid, n.waitsFor[jid])
	}
	rows := int64(0)
	for _, j := range w.jobs {
		n.disk.EachReturn(j.jid, func(r returners.Return) {
			rows++
			w.checkRow(n, j, r, fail)
		})
	}
	n.checkSaid(fail)
	if n.stats.rows != rows {
		fail("%s counted %d new returns, but stores %d", n.id, n.stats.rows, rows)
	}
	if w.simple() && !w.o.moves() {
		want := 0
		for _, j := range w.jobs {
			want += w.ranBelow(n, j)
		}
		if rows != int64(want) {
			fail("%s stores %d returns, but minions below it ran %d jobs", n.id, rows, want)
		}
		return
	}
	for _, j := range w.jobs {
		w.checkWays(n, j, fail)
	}
}

// simple reports whether each minion has only one path up: counting rows is enough.
func (w *World) simple() bool { return len(w.tops) == 1 && len(w.links) == len(w.nodes)-1 }

// checkWays checks that each return is stored at the node that accepted it from the minion, and at
// each master above that requested the job.
func (w *World) checkWays(n *node, j *job, fail func(string, ...any)) {
	have := w.holds(n, j)
	for i := range n.minions {
		g := n.lo + i
		if !j.hasRun(g) {
			continue
		}
		for _, at := range w.gaveTo(&n.minions[i], j) {
			if at == nil || !w.holds(at, j).has(g) {
				fail("%s does not store the return of %s to %s", at.name(), w.ids[g], j.jid)
			}
		}
	}
	for _, l := range n.ups {
		if asked := n.askers(returners.Item{JID: j.jid}); len(n.ups) > 1 && !slices.Contains(asked, l) {
			continue
		}
		if g, found := have.without(w.holds(l.parent, j)); found {
			fail("%s does not store the return of %s to %s, but %s does", l.parent.id, w.ids[g], j.jid, n.id)
		}
	}
}

// gaveTo lists the nodes that acknowledged a minion's return. A nil entry means that none did.
func (w *World) gaveTo(m *minion, j *job) []*node {
	if !w.o.moves() {
		return []*node{m.n}
	}
	if at := w.acked[m][j]; len(at) > 0 {
		return at
	}
	return []*node{nil}
}

func (n *node) name() string {
	if n == nil {
		return "no node"
	}
	return n.id
}

func (w *World) ranBelow(n *node, j *job) int {
	count := 0
	for i := range n.minions {
		if j.hasRun(n.lo + i) {
			count++
		}
	}
	for _, l := range n.downs {
		count += w.ranBelow(l.child, j)
	}
	return count
}

func (w *World) checkRow(n *node, j *job, r returners.Return, fail func(string, ...any)) {
	g := w.index(r.ID)
	refused := w.refusedAt(n, j, r)
	switch failed := j.fails(g) || refused; {
	case !j.hasRun(g):
		fail("%s stores a return of %s to %s, but that minion did not run it", n.id, r.ID, j.jid)
	case failed != (r.Retcode != 0) || failed == r.Success || len(r.Value) == 0:
		fail("%s stores retcode %d, success %v for %s, job %s", n.id, r.Retcode, r.Success, r.ID, j.jid)
	}
	whole := w.o.Body == returns.Full || r.Via == "" // this node got it from the minion itself
	if text, _ := wire.Str(r.Value); refused && whole {
		if !strings.HasPrefix(text, "ERROR: the result of "+r.ID+" could not be taken by ") {
			fail("%s stores %.40q for %s, job %s, want an error", n.id, r.Value, r.ID, j.jid)
		}
		return
	}
	if _, digest := wire.Digest(r.Full); digest == whole || whole && !bytes.Equal(r.Value, j.result(g)) {
		fail("%s stores %.40q for %s, job %s, digest %v, want whole results %v", n.id, r.Value, r.ID, j.jid, digest, whole)
	}
}

func (w *World) checkJob(j *job, fail func(string, ...any)) {
	for _, g := range j.twice {
		fail("%s has run %s twice", w.ids[g], j.jid)
	}
	some := make([]bool, len(w.ids))
	for _, r := range j.runs {
		w.checkRun(j, r, some, fail)
	}
	for g := range w.ids {
		if j.hasRun(g) && !some[g] && !j.invented {
			fail("job %s: no top that requested it stores the return of %s", j.jid, w.ids[g])
			return
		}
	}
}

// checkRun checks a job at one top and sets in some the minions whose returns that top stores.
func (w *World) checkRun(j *job, r *run, some []bool, fail func(string, ...any)) {
	a, top := r.account, r.top
	for _, id := range sortedKeys(a.missing) {
		if a.missing[id].Reason == reasonForged {
			fail("job %s at %s: %s is missing as reported by a node that does not speak for it", j.jid, top.id, id)
			return
		}
	}
	if r.shared && len(top.here(j)) == 0 { // it was away, and the top that publishes the job died
		if !w.o.faulty() {
			fail("job %s: %s does not know it", j.jid, top.id)
		}
		return
	}
	if r.completed < 0 {
		fail("job %s was never completed at %s", j.jid, top.id)
		return
	}
	if a.Expected != a.Returned+a.Failed+len(a.missing) {
		fail("job %s at %s: expected %d, returned %d, failed %d, missing %d do not add up", j.jid, top.id, a.Expected, a.Returned, a.Failed, len(a.missing))
	}
	for _, path := range sortedKeys(a.nodes) {
		if s := a.nodes[path]; s != jobevent.NodeAnswered && !w.o.faulty() {
			fail("job %s at %s: node %s is %s without a fault", j.jid, top.id, path, s)
		}
	}
	w.checkCalm(j, r, fail)
	w.checkQueued(j, r, fail)
	rows := make([]bool, len(w.ids))
	top.disk.EachReturn(j.jid, func(r returners.Return) {
		g := w.index(r.ID)
		rows[g], some[g] = true, true
	})
	xs, _ := top.disk.GetExpectations(background, j.jid)
	stored, asked := silentIn(xs), askedIn(xs)
	listed := 0
	for g, id := range w.ids {
		_, missing := a.missing[id]
		if _, late := a.late[id]; late {
			missing = true
		}
		has := rows[g]
		switch {
		case !j.meant(g) && (has || missing):
			fail("job %s at %s: the account has %s, which the target does not match", j.jid, top.id, id)
		case j.meant(g) && !has && !missing && !w.behindSilence(g, top, a.nodes) && !w.behindSilence(g, top, stored):
			fail("job %s at %s: %s neither returned nor is named as missing", j.jid, top.id, id)
		case !has && asked[id]:
			fail("job %s at %s: the store expects %s, which neither returned nor is missing", j.jid, top.id, id)
		case w.o.Insist && !has && (j.hasRun(g) || j.meant(g) && w.kinds[g] != dead && w.kinds[g] != silent):
			fail("job %s: the return of %s is not stored at %s", j.jid, id, top.id)
		default:
			continue
		}
		if listed++; listed > 3 {
			return
		}
	}
}

// checkCalm checks a job in a tree without faults: no connected minion is missing, and the job ends
// as soon as its last minion has answered.
func (w *World) checkCalm(j *job, r *run, fail func(string, ...any)) {
	if w.o.faulty() || w.o.OutboxRows > 0 || w.o.Older > 0 {
		return
	}
	if !r.answered {
		fail("job %s: its publisher at %s got no confirmation", j.jid, r.top.id)
	}
	for _, id := range sortedKeys(r.gaveUp) {
		if k := w.kinds[w.index(id)]; k != dead && k != silent {
			fail("job %s was completed at %s without %s, which was connected: %s", j.jid, r.top.id, id, r.gaveUp[id].Reason)
			return
		}
	}
	store := int64(len(w.ids)) * int64(w.o.Costs.Return) // at the top, one after the other
	most := int64(j.Run.Max) + int64(w.o.Minions.SlowBy) + int64(promptly) + store
	if took := int64(r.completed - r.published); len(r.gaveUp) == 0 && j.Run.Exp == 0 && took > most && !j.inSlices() {
		fail("job %s at %s took %s", j.jid, r.top.id, time.Duration(took))
	}
}

// promptly is far below the gather timer of the trees that checkCalm looks at, and far above the
// latency of messages.
const promptly = 30 * time.Second

// askedIn returns the minions of stored expectations that none of these names as missing.
func askedIn(xs []returners.Expectation) map[string]bool {
	asked := map[string]bool{}
	for _, x := range xs {
		for _, id := range x.Minions {
			asked[id] = true
		}
	}
	for _, x := range xs {
		for id := range x.Missing {
			delete(asked, id)
		}
	}
	return asked
}

// behindSilence reports whether the account of a top names a node on each path to a minion as silent
// or unreachable.
func (w *World) behindSilence(g int, top *node, nodes map[string]jobevent.NodeState) bool {
	for _, path := range w.minion(g).n.pathsFrom(top) {
		silent := false
		for p, s := range nodes {
			silent = silent || silentState(string(s)) && strings.HasPrefix(path+"/", p+"/")
		}
		if !silent {
			return false
		}
	}
	return w.minion(g).n != top
}

// pathsFrom lists the paths from a top down to the node, as ids of the nodes below the top.
func (n *node) pathsFrom(top *node) []string {
	var out []string
	for _, l := range n.ups {
		if l.parent == top {
			out = append(out, n.id)
			continue
		}
		for _, p := range l.parent.pathsFrom(top) {
			out = append(out, p+"/"+n.id)
		}
	}
	return out
}
