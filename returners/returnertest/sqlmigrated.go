package returnertest

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/returners"
)

// CheckMigrated checks what became of Salt's tables with three jobs of 20 minions, each with three rows, and further rows
// of minions "case", "CASE" and "twice". aside is a query for the column return of mom_duplicates.
func CheckMigrated(t *testing.T, st SQLStore, db *sql.DB, aside string) {
	t.Helper()
	ctx := t.Context()
	for job, want := range []int{22, 21, 20} {
		rets, err := st.GetReturns(ctx, JID(job))
		if err != nil || len(rets) != want {
			t.Fatalf("job %d has %d returns, %v; want %d", job, len(rets), err, want)
		}
		if l, ok, err := st.GetLoad(ctx, JID(job)); err != nil || !ok || l.Fun() != "test.ping" {
			t.Errorf("load of job %d: %v %v %q", job, ok, err, l.Fun())
		}
		for _, r := range rets {
			full := JSON(t, r.Full)
			switch r.ID {
			case "case":
				if v := JSON(t, r.Value); v != `"lower é"` {
					t.Errorf("case: %s", v)
				}
			case "CASE":
			case "twice":
				if v := JSON(t, r.Value); v != `"first"` || !strings.Contains(full, `"n": 1`) {
					t.Errorf("twice: %s %s", v, full)
				}
			default:
				if !strings.Contains(full, "_return") || r.At.Second() != 5 || !r.Success {
					t.Errorf("%s: %s at %v: not the richest load of the oldest row", r.ID, full, r.At)
				}
			}
		}
	}
	if got := lines(t, db, aside); !slices.Equal(got, []string{`"second"`}) {
		t.Errorf("set aside: %q; want the second result alone", got)
	}
	// The old tables would have rejected this.
	r := Return(t, 7, "😀", strings.Repeat("f", 2000), "😀")
	if err := st.SaveReturns(ctx, []returners.Return{r, r}); err != nil {
		t.Error(err)
	}
	if err := st.SaveEvents(ctx, []returners.Event{{Key: "k", Tag: strings.Repeat("😀", 300), Data: r.Value}, {Key: "k", Tag: "x", Data: r.Value}}); err != nil {
		t.Error(err)
	}
	if n := Count(t, db, "SELECT COUNT(*) FROM salt_events"); n != 2 {
		t.Errorf("%d events; want the old one and one new", n)
	}
}
