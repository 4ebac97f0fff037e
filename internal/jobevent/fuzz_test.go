package jobevent

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/internal/wire"
)

// equal ignores the differences that the encoding does not keep.
var equal = cmp.Options{cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), cmp.Comparer(func(a, b *wire.Map) bool {
	return a.GoString() == b.GoString()
})}

// fuzz checks that anything read from any bytes is the same after it is written and read again.
func fuzz[W Word](f *testing.F, read func(jid string, data wire.Raw) (W, error), check func(*testing.T, W)) {
	for _, s := range golden(f) {
		f.Add([]byte(s.data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := read(job, data)
		if err != nil {
			return
		}
		_, again := w.Encode()
		v, err := read(job, again)
		if diff := cmp.Diff(w, v, equal); err != nil || diff != "" {
			t.Fatalf("%q became %q: %v\n%s", data, again, err, diff)
		}
		check(t, w)
	})
}

func FuzzExpectation(f *testing.F) {
	fuzz(f, DecodeExpectation, func(t *testing.T, x Expectation) {
		if x.Job() != job || x.Under("n1").Untracked || !x.Under("n1").Ours {
			t.Errorf("%+v under a node is %+v", x, x.Under("n1"))
		}
		var minions []string
		gone := map[string]string{}
		ps := slices.Collect(x.Pieces(2))
		for i, p := range ps {
			if i < len(ps)-1 && (!p.Partial || len(p.Asked) > 0) || i == len(ps)-1 && (p.Partial != x.Partial || len(p.Asked) != len(x.Asked)) {
				t.Errorf("piece %d of %+v is %+v", i, x, p)
			}
			minions = append(minions, p.Minions...)
			for id, why := range p.Unreachable {
				gone[id] = why
			}
		}
		if !cmp.Equal(minions, x.Minions, equal) || !cmp.Equal(gone, x.Unreachable, equal) {
			t.Errorf("the pieces of %+v are %+v", x, ps)
		}
	})
}

func FuzzMissing(f *testing.F) {
	fuzz(f, DecodeMissing, func(t *testing.T, m Missing) {
		if up := m.Under("n1"); up.From != "n1" || len(up.Minions) != len(m.Minions) || len(up.Nodes) > len(m.Nodes) {
			t.Errorf("%+v under a node is %+v", m, up)
		}
		n := 0
		for p := range m.Pieces(2) {
			n += len(p.Minions) + len(p.Nodes)
		}
		if n != len(m.Minions)+len(m.Nodes) {
			t.Errorf("the pieces of %+v name %d", m, n)
		}
	})
}

func FuzzComplete(f *testing.F) {
	fuzz(f, func(jid string, data wire.Raw) (Complete, error) {
		c, err := DecodeComplete(jid, data)
		c.Took = c.Took.Truncate(time.Second) // a float is not exact to the nanosecond for long durations
		return c, err
	}, func(*testing.T, Complete) {})
}

func FuzzNew(f *testing.F) { fuzz(f, DecodeNew, func(*testing.T, New) {}) }
