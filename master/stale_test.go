package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// The tree describes a stale job.
func TestStaleText(t *testing.T) {
	j := engine.Stale{JID: "1", Fun: "state.apply", Open: 34 * time.Minute, Waiting: 1, For: "n1/m"}
	one, many, silent := j, j, j
	one.Answered, one.Longest = 99, 12*time.Second
	many.Waiting = 3
	silent.Silent = 1
	for _, c := range []struct {
		j    engine.Stale
		more int
		want string
	}{
		{one, 0, "job 1 (state.apply) has been open for 30m and waits for 1, n1/m; the slowest of 99 answers took 12s; see `mom trace 1`"},
		{many, 2, "job 1 (state.apply) has been open for 30m and waits for 3 minions, such as n1/m; see `mom trace 1`; 2 more stale jobs"},
		{silent, 0, "job 1 (state.apply) has been open for 30m and waits for 1, n1/m; 1 of them gave no sign of life when due; see `mom trace 1`"},
	} {
		if got := staleText(c.j, c.more); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// A stale job stops being a problem when it ends.
func TestStaleJobThatHasEnded(t *testing.T) {
	r := newRig(t)
	m := r.open().Master
	details := func() (out []string) {
		for _, p := range topology.Problems(m.Snapshot()) {
			if p.Kind == topology.StaleJob {
				out = append(out, p.Detail)
			}
		}
		return out
	}
	m.stale = map[string]bool{"1": true}
	m.tree.SetProblem(topology.Problem{Kind: topology.StaleJob, Detail: "job 1"}, aboutJob+"1", true)
	if got := details(); len(got) != 1 {
		t.Fatalf("problems %q", got)
	}
	if m.reportStaleJobs(); len(details()) != 0 || len(m.stale) != 0 {
		t.Errorf("problems still %q, %v", details(), m.stale)
	}
}
