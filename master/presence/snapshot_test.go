package presence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSnapshot(t *testing.T) {
	up := func(ids ...string) (out []Peer) {
		for _, id := range ids {
			out = append(out, Peer{ID: id, Role: "minion", Up: true})
		}
		return append(out, Peer{ID: "gone", Role: "minion"}, Peer{ID: "node", Role: Syndic, Up: true})
	}
	var r Snapshot
	for i, c := range []struct {
		peers           []Peer
		now, came, gone []string
	}{
		{up("b", "a"), []string{"a", "b"}, []string{"a", "b"}, []string{}},
		{up("b", "a"), []string{"a", "b"}, []string{}, []string{}},
		{up("c", "b"), []string{"b", "c"}, []string{"c"}, []string{"a"}},
		{nil, []string{}, []string{}, []string{"b", "c"}},
	} {
		now, came, gone := r.Update(c.peers)
		if d := cmp.Diff([][]string{c.now, c.came, c.gone}, [][]string{now, came, gone}); d != "" {
			t.Errorf("call %d: -want +got\n%s", i+1, d)
		}
	}
}
