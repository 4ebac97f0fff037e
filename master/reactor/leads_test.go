package reactor

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A top of a cluster reacts while it leads.
func TestLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {runner.test.arg: [{args: {x: 1}}]}"}, react("my/tag", "a.sls"))
		var leads atomic.Bool
		s.r.o.Leads = leads.Load
		for _, want := range []int{0, 1} {
			leads.Store(want == 1)
			s.fire("my/tag", "id", "m1")
			if got := s.done(); len(got) != want {
				t.Errorf("leads %v: %v", leads.Load(), got)
			}
		}
	})
}
