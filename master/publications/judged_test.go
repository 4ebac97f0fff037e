package publications

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/retention"
)

// narrowed returns a job with a checked list.
func narrowed(t *testing.T, l jobfields.TargetList) wire.Publication {
	t.Helper()
	b, err := wire.Encode(wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", "web*", "tgt_type", "glob", "jid", someJob))
	if err != nil {
		t.Fatal(err)
	}
	p, err := wire.ParsePublication(b)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = jobfields.Narrow(p, l); err != nil {
		t.Fatal(err)
	}
	return p
}

// gets returns what a connection receives: the target, or the number of ids.
func (w *world) gets(t *testing.T, conn uint64) (out []string) {
	t.Helper()
	for i, p := range w.sealed {
		to := w.picked[i]
		if to != nil && to.IDs[conn] == to.But {
			continue
		}
		if p.TgtType != "list" {
			text, _ := wire.Str(p.Tgt)
			out = append(out, text)
			continue
		}
		ids, err := jobfields.NarrowedIDs(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(len(ids)))
	}
	return out
}

// Each connection receives a judged job once. 1 is a node, 2 a spared node, 3 a listed minion, 4
// another minion, 5 and 6 are unidentified.
func TestSendJudged(t *testing.T) {
	many := make([]string, 3*maxListed)
	for i := range many {
		many[i] = fmt.Sprintf("web%d", i)
	}
	for _, c := range []struct {
		ids     []string
		plain   bool
		minion  string // 3
		other   string // 4
		unnamed string // 5
	}{
		{[]string{"web1", "web2"}, false, "2", "2", "2"},
		{[]string{"web1", "web2"}, true, "2", "2", "web*"},
		{many, false, fmt.Sprint(maxListed), "0", fmt.Sprint(3 * maxListed)},
		{many, true, fmt.Sprint(maxListed), "0", "web*"},
	} {
		w := newWorld(t)
		w.known, w.below = map[uint64]bool{1: true, 2: true, 3: true, 4: true}, map[uint64]bool{1: true, 2: true}
		w.conns = map[string][]uint64{"web1": {3}, "db1": {4}}
		if err := w.Send(narrowed(t, jobfields.TargetList{IDs: c.ids, Plain: c.plain}), []string{""}, &zmtp.Choice{IDs: map[uint64]bool{2: true}, But: true}); err != nil {
			t.Fatal(err)
		}
		for conn, want := range map[uint64][]string{1: {"web*"}, 2: nil, 3: {c.minion}, 4: {c.other}, 5: {c.unnamed}} {
			if got := w.gets(t, conn); !slices.Equal(got, want) {
				t.Errorf("%d ids, plain %v: connection %d receives %q, want %q", len(c.ids), c.plain, conn, got, want)
			}
		}
	}
}

// A minion that fetches a judged job gets its own id, a node the target.
func TestMissedJudged(t *testing.T) {
	w := newWorld(t)
	p := narrowed(t, jobfields.TargetList{IDs: []string{"web1", "web2"}})
	if _, err := w.Retain(p, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Send(p, []string{""}, nil); err != nil {
		t.Fatal(err)
	}
	var r retention.Record
	w.Since("", 0, func(_ int64, kept retention.Record) bool { r = kept; return false })
	for _, c := range []struct {
		id   string
		node bool
		want []string
		kind string
	}{{"web2", false, []string{"web2"}, "list"}, {"db1", false, nil, "list"}, {"n1", true, nil, "glob"}} {
		got, own, err := forPeer(r, c.id, c.node)
		if err != nil || !own {
			t.Fatalf("%v, %v", own, err)
		}
		p, err := wire.ParsePublication(got.Pub)
		if err != nil {
			t.Fatal(err)
		}
		if p.TgtType != c.kind || p.Extra != nil && p.Extra.Has(jobfields.TargetField) == c.node {
			t.Errorf("%s receives %s", c.id, p.TgtType)
		}
		if ids, err := jobfields.NarrowedIDs(p); !c.node && (err != nil || !slices.Equal(ids, c.want)) {
			t.Errorf("%s receives %q, %v", c.id, ids, err)
		}
	}
}
