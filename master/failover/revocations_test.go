package failover

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/sibling"
)

// Revocations survive a restart until all vouchers have expired. Above its bound a node has
// one entry for all. The bound is 3, with five keys.
func TestRevocations_BoundAndAge(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1700000000, 0)
	clock := func() time.Time { return now }
	open := func() *revocations {
		g, err := openRevocations(dir, "own", 3, slog.New(slog.DiscardHandler), clock)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = g.Close() })
		return g
	}
	g := open()
	made := now
	for i := range 5 {
		now = now.Add(time.Second)
		for _, by := range []string{"own", "n1"} {
			if _, err := g.Note(by == "n1", sibling.Gone{ID: fmt.Sprint("m", i), By: by, At: now}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, x := range []*revocations{g, open()} {
		if len(x.Of("own")) > 3 || len(x.ForChild("n2")) > 3 || len(x.ForChild("n1")) != 0 {
			t.Errorf("own %v, of others %v", x.Of("own"), x.ForChild("n2"))
		}
		for i := range 5 {
			v := sibling.Voucher{ID: fmt.Sprint("m", i), Issuer: "n1", Finger: "f", Made: made}
			if x.Void(v) == nil {
				t.Errorf("a voucher for m%d counts", i)
			}
		}
		if err := x.Void(sibling.Voucher{ID: "m0", Issuer: "n1", Finger: "f", Made: now.Add(time.Second)}); err != nil {
			t.Errorf("a newer one does not: %v", err)
		}
	}
	if fresh, err := g.Note(false, sibling.Gone{ID: "m1", By: "n1", At: now.Add(-time.Second)}); err != nil || len(fresh) != 0 {
		t.Errorf("known entry is new: %v, %v", fresh, err)
	}
	now = now.Add(sibling.GoneLife + time.Hour)
	if err := g.Sweep(); err != nil {
		t.Fatal(err)
	}
	if x := open(); len(x.Of("own"))+len(x.Of("n1")) != 0 {
		t.Errorf("kept for ever: %v", x.Of("n1"))
	}
}

func FuzzParseRevocation(f *testing.F) {
	f.Add(formatRevocation(revocation{sibling.Gone{ID: "m\n\"", By: "n", Home: "h", At: time.Unix(1, 2)}, true}))
	f.Add("x")
	f.Fuzz(func(t *testing.T, line string) {
		x, ok := parseRevocation(line)
		if !ok {
			return
		}
		if y, ok := parseRevocation(strings.TrimSuffix(formatRevocation(x), "\n")); !ok || y.ID != x.ID || !y.At.Equal(x.At) || y.below != x.below {
			t.Errorf("%+v is written as %q", x, formatRevocation(x))
		}
	})
}
