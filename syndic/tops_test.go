package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/waiting"
)

// A job that names several tops is pending for each of them, whichever published it. A parent whose
// id is not named gets its own jobs only; one whose id is not known yet may be named.
func TestTopsOfOneCluster(t *testing.T) {
	for name, c := range map[string]struct {
		id     string
		known  bool
		shared int // returns at the other parent
	}{
		"named":       {"two", true, 1},
		"not named":   {"three", true, 0},
		"not yet met": {"", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
			n := plant(t, nil, a, b)
			n.parents.parentID = func(string) (string, bool) { return c.id, c.known }
			n.run(t)
			n.awaitUp(t)
			shared := channeltest.Job(job(1), "*", "test.ping")
			shared.Set(jobfields.TopsField, []any{"one", "two"})
			a.Publish(shared)
			a.Publish(channeltest.Job(job(2), "*", "test.ping"))
			waiting.Until(t, "the jobs", func() bool { return len(n.master.published()) == 2 })
			n.local.commit(t, job(1), "web-1")
			n.local.commit(t, job(2), "web-1")
			waiting.Until(t, "all returns", func() bool { return a.count()+b.count() == 2+c.shared && n.local.depth() == 0 })
			if a.has(job(1), "web-1") != 1 || a.has(job(2), "web-1") != 1 || b.has(job(1), "web-1") != c.shared {
				t.Errorf("at the first %v, at the second %v", a.rows, b.rows)
			}
		})
	}
}
