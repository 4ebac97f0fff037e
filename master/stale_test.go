package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// What the tree says of a job that is open for too long.
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
		{one, 0, "job 1 (state.apply) is open for 30m and waits for 1, n1/m; the 99 that have answered took 12s at most; see `mom trace 1`"},
		{many, 2, "job 1 (state.apply) is open for 30m and waits for 3 minions, as n1/m; see `mom trace 1`; 2 more jobs are like it"},
		{silent, 0, "job 1 (state.apply) is open for 30m and waits for 1, n1/m; 1 of them gave no sign of life when they had to; see `mom trace 1`"},
	} {
		if got := staleText(c.j, c.more); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// A job that is not open for too long any more, since it has ended, is no problem any more.
func TestStaleJobThatHasEnded(t *testing.T) {
	r := newRig(t)
	m := r.open().Master
	told := func() (out []string) {
		for _, p := range topology.Problems(m.Snapshot()) {
			if p.Kind == topology.StaleJob {
				out = append(out, p.Detail)
			}
		}
		return out
	}
	m.stale = map[string]bool{"1": true}
	m.tree.SetProblem(topology.Problem{Kind: topology.StaleJob, Detail: "job 1"}, aboutJob+"1", true)
	if got := told(); len(got) != 1 {
		t.Fatalf("told %q", got)
	}
	if m.tellStale(); len(told()) != 0 || len(m.stale) != 0 {
		t.Errorf("told %q still, %v", told(), m.stale)
	}
}
