package returns

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// What a request says once for several returns is true of each of them: a minion's outputter is not
// given to the others of its batch.
func TestBatch_Out(t *testing.T) {
	s := NewHandover(HandoverOptions{Body: func() Body { return Full }})
	b := s.batch()
	for _, m := range []struct{ id, jid, out, by string }{
		{"m1", "1", "", ""}, {"m2", "1", "nested", ""}, {"m3", "1", "", ""}, {"m4", "1", "", "top-2"}, {"m5", "2", "nested", ""},
	} {
		full := wire.NewMap("id", m.id, "jid", m.jid, "fun", "x", "return", true, "retcode", 0)
		if m.out != "" {
			full.Set("out", m.out)
		}
		if m.by != "" {
			full.Set("master_id", m.by)
		}
		raw, err := wire.Encode(full)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.add(returners.Item{Kind: returners.KindReturn, JID: m.jid, ID: m.id, Payload: raw}); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]shared{"m1": {"1", "", ""}, "m2": {"1", "nested", ""}, "m3": {"1", "", ""}, "m4": {"1", "", "top-2"}, "m5": {"2", "nested", ""}}
	if len(b.entries) != 4 {
		t.Errorf("%d entries, want 4: m1 and m3 share one", len(b.entries))
	}
	for _, e := range b.entries {
		for _, id := range wire.Texts(e.returns.Keys()) {
			if e.shared != want[id] {
				t.Errorf("%s is in the entry %+v, want %+v", id, e.shared, want[id])
			}
			delete(want, id)
		}
	}
	if len(want) != 0 {
		t.Errorf("not in the batch: %v", want)
	}
	if got := b.count(); got["1"] != 4 || got["2"] != 1 {
		t.Errorf("count %v", got)
	}
}
