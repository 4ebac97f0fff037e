package sim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// maxFaults is how many broken promises one check tells.
const maxFaults = 12

// Check tells what of the promises does not hold when the tree has come to rest:
//
//   - each return of a minion that has run a job is stored at every node above it,
//     once, and counted as new once; nothing else is;
//   - each job was completed, and expected = returned + failed + missing;
//   - each minion that the job is meant for has a row, or is named as missing, or
//     sits behind a node that is named as silent or unreachable;
//   - nothing is owed, and no account is open.
//
// Call it after Run.
func (w *World) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, n := range w.nodes {
		w.checkNode(n, fail)
	}
	for _, j := range w.jobs {
		w.checkJob(j, fail)
	}
	if len(errs) > maxFaults {
		errs = append(errs[:maxFaults], fmt.Errorf("and %d more", len(errs)-maxFaults))
	}
	return errors.Join(errs...)
}

func (w *World) checkNode(n *node, fail func(string, ...any)) {
	if rows, _ := n.disk.OutboxSize(dest); rows != 0 {
		fail("%s still owes %d returns", n.id, rows)
	}
	if rows, _ := n.disk.OutboxSize(returners.Rejected(dest)); rows != 0 {
		fail("%s has set %d returns aside", n.id, rows)
	}
	if len(n.open) != 0 {
		fail("%s has %d open jobs", n.id, len(n.open))
	}
	rows, want := int64(0), 0
	for _, j := range w.jobs {
		n.disk.EachReturn(j.jid, func(r returners.Return) {
			rows++
			w.checkRow(n, j, r, fail)
		})
		want += w.ranBelow(n, j)
	}
	if rows != int64(want) {
		fail("%s holds %d returns, %d minions below it have run their job", n.id, rows, want)
	}
	if n.stats.rows != rows {
		fail("%s has told of %d new returns and holds %d", n.id, n.stats.rows, rows)
	}
}

func (w *World) ranBelow(n *node, j *job) int {
	count := 0
	for i := range n.minions {
		if j.hasRun(n.lo + i) {
			count++
		}
	}
	for _, c := range n.children {
		count += w.ranBelow(c, j)
	}
	return count
}

func (w *World) checkRow(n *node, j *job, r returners.Return, fail func(string, ...any)) {
	g := w.index(r.ID)
	switch failed := j.fails(g); {
	case !j.hasRun(g):
		fail("%s holds a return of %s to %s, which did not run it", n.id, r.ID, j.jid)
	case failed != (r.Retcode != 0) || failed == r.Success || len(r.Value) == 0:
		fail("%s holds retcode %d, success %v of %s to %s", n.id, r.Retcode, r.Success, r.ID, j.jid)
	}
}

func (w *World) checkJob(j *job, fail func(string, ...any)) {
	a := j.account
	if j.completed < 0 {
		fail("job %s was never completed", j.jid)
		return
	}
	if a.Expected != a.Returned+a.Failed+len(a.missing) {
		fail("job %s: expected %d, returned %d, failed %d, missing %d do not add up", j.jid, a.Expected, a.Returned, a.Failed, len(a.missing))
	}
	for path, s := range a.nodes {
		if s != ledger.NodeAnswered && !w.o.Faults.any() {
			fail("job %s: node %s is %s, although nothing went wrong", j.jid, path, s)
		}
	}
	rows := make([]uint64, len(j.ran))
	w.nodes[0].disk.EachReturn(j.jid, func(r returners.Return) {
		g := w.index(r.ID)
		rows[g/64] |= 1 << (g % 64)
	})
	xs, _ := w.nodes[0].disk.GetExpectations(background, j.jid)
	stored := silentIn(xs)
	told := 0
	for g, id := range w.ids {
		has := rows[g/64]&(1<<(g%64)) != 0
		_, missing := a.missing[id]
		if _, late := a.late[id]; late {
			missing = true
		}
		switch {
		case !j.wants(g) && (has || missing):
			fail("job %s: %s is in the account, but the target does not match it", j.jid, id)
		case j.wants(g) && !has && !missing && !w.behindSilence(g, a.nodes) && !w.behindSilence(g, stored):
			fail("job %s: %s neither returned nor is it named as missing", j.jid, id)
		default:
			continue
		}
		if told++; told > 3 {
			return
		}
	}
}

// behindSilence tells whether the account names a node on the way to a minion as
// one that did not say who has to answer.
func (w *World) behindSilence(g int, nodes map[string]ledger.NodeState) bool {
	path := w.minion(g).n.path() + "/"
	for p, s := range nodes {
		if (s == ledger.NodeSilent || s == ledger.NodeUnreachable) && strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
