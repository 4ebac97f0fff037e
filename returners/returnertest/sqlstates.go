package returnertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/returners"
)

// Two tiers write six jobs of 700 minions at the same time, in different order.
func testTwoMasters(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	const jobs, minions = 6, 700
	var wg sync.WaitGroup
	for master := range 2 {
		st := s.Open(t, name, SQLOptions{})
		for half := range 2 {
			wg.Go(func() {
				ctx := context.Background()
				for job := range jobs {
					if master == 1 {
						job = jobs - 1 - job
					}
					rets := make([]returners.Return, 0, minions)
					exp := returners.Expectation{JID: JID(job), Node: strings.Repeat("syn-a", 1-master)}
					for m := range minions {
						if (half+master)%2 == 1 {
							m = minions - 1 - m
						}
						rets = append(rets, Return(t, job, Minion(m), "test.echo", fmt.Sprintf("%d/%d", job, m)))
						exp.Minions = append(exp.Minions, Minion(m))
					}
					if err := errors.Join(
						st.SaveLoads(ctx, []returners.Load{Load(t, job, "test.echo", "*")}),
						st.SaveExpectations(ctx, []returners.Expectation{exp}),
						st.SaveReturns(ctx, rets)); err != nil {
						t.Errorf("master %d: %v", master, err)
					}
				}
			})
		}
	}
	wg.Wait()
	db := s.Server.Open(t, name)
	for _, table := range []string{"salt_returns", "mom_expected"} {
		if n := Count(t, db, "SELECT COUNT(*) FROM "+table); n != jobs*minions {
			t.Errorf("%s has %d rows, want %d", table, n, jobs*minions)
		}
	}
	if n := Count(t, db, "SELECT COUNT(*) FROM mom_expected WHERE node = 'syn-a' AND missing IS NULL"); n != jobs*minions {
		t.Errorf("%d rows name the longer path, want all", n)
	}
}

// The states of minion m in job 1.
var (
	asked = returners.Expectation{JID: JID(1), Minions: []string{"m"}}
	gone  = returners.Expectation{JID: JID(1), Missing: map[string]string{"m": "Not connected"}}
)

// at returns a state as seen by a node.
func at(x returners.Expectation, path string) returners.Expectation {
	x.Node = path
	return x
}

// stateAfter stores states in their order and returns the node and the reason in the row of minion m.
func stateAfter(t *testing.T, s SQL, order []returners.Expectation) string {
	t.Helper()
	name := s.Server.Database(t)
	st := s.Open(t, name, SQLOptions{})
	for _, x := range order {
		must(t, st.SaveExpectations(t.Context(), []returners.Expectation{x}))
	}
	return strings.Join(lines(t, s.Server.Open(t, name), "SELECT node, COALESCE(missing, '') FROM mom_expected WHERE id = 'm'"), "; ")
}

// A node and its parent write the state of a minion to one database, in any order. The parent's reason why no answer will
// come must not be cleared by the node's older state.
func testStatesFromTiers(t *testing.T, s SQL) {
	for name, order := range map[string][]returners.Expectation{
		"the node last":     {at(asked, "a"), at(gone, "a"), asked, gone},
		"its old word last": {at(asked, "a"), asked, gone, at(gone, "a"), asked},
		"the top last":      {asked, gone, at(asked, "a"), at(gone, "a")},
	} {
		if got := stateAfter(t, s, order); got != "a Not connected" {
			t.Errorf("%s: the row is %q", name, got)
		}
	}
}

// A minion has moved to another node at the same distance from the top, which writes the states of both nodes. While one
// node asks the minion, the reason is NULL; when that node gives up, its reason is stored.
func testStatesOfMoved(t *testing.T, s SQL) {
	const host = "b"
	for _, home := range []string{"a", "a-much-longer-name"} {
		for name, c := range map[string]struct {
			order []returners.Expectation
			want  string
		}{
			"the host asks it":                 {[]returners.Expectation{at(gone, home), at(asked, host)}, ""},
			"the host asked it first":          {[]returners.Expectation{at(asked, host), at(gone, home)}, ""},
			"the host loses it":                {[]returners.Expectation{at(gone, home), at(asked, host), at(gone, host)}, "Not connected"},
			"the host lost it first":           {[]returners.Expectation{at(asked, host), at(gone, host), at(gone, home)}, "Not connected"},
			"both asked it, the host longer":   {[]returners.Expectation{at(asked, home), at(asked, host), at(gone, home)}, ""},
			"both asked it, both have lost it": {[]returners.Expectation{at(asked, home), at(asked, host), at(gone, home), at(gone, host)}, "Not connected"},
			"it comes home":                    {[]returners.Expectation{at(gone, host), at(asked, home)}, ""},
		} {
			_, reason, _ := strings.Cut(stateAfter(t, s, c.order), " ")
			if reason != c.want {
				t.Errorf("%s, from %s: the reason is %q, want %q", name, home, reason, c.want)
			}
		}
	}
}

func testArchive(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	st := s.Open(t, name, SQLOptions{ArchiveJobs: true})
	ctx := t.Context()
	var rets []returners.Return
	for m := range 25 {
		rets = append(rets, Return(t, 1, Minion(m), "test.ping", true))
	}
	must(t, errors.Join(st.SaveLoads(ctx, []returners.Load{Load(t, 1, "test.ping", "*")}), st.SaveReturns(ctx, rets),
		st.SaveEvents(ctx, []returners.Event{{Tag: "t", Data: rets[0].Value, At: Time(1)}})))
	for get[int](t)(st.Clean(ctx, Time(100), 10)) > 0 {
	}
	db := s.Server.Open(t, name)
	for table, want := range map[string]int64{"jids": 1, "salt_returns": 25, "salt_events": 1} {
		if n := Count(t, db, "SELECT COUNT(*) FROM "+table); n != 0 {
			t.Errorf("%s still has %d rows", table, n)
		}
		if n := Count(t, db, "SELECT COUNT(*) FROM "+table+"_archive"); n != want {
			t.Errorf("%s_archive has %d rows, want %d", table, n, want)
		}
	}
}

// The database's clock measures the age of shared jobs. What masters store whose clocks are days off stays, when it was
// stored recently. Jobs that are old by the database's clock are removed, if their own times are past too.
func testAges(t *testing.T, s SQL) {
	name := s.Server.Database(t)
	ctx := t.Context()
	for _, off := range []time.Duration{-72 * time.Hour, 0, 72 * time.Hour} {
		at := time.Now().Add(off)
		st := s.Open(t, name, SQLOptions{Now: func() time.Time { return at }})
		r := Return(t, 1, "m", "test.ping", true)
		r.JID, r.At = jid.New(at), at
		must(t, errors.Join(st.SaveReturns(ctx, []returners.Return{r}),
			st.SaveExpectations(ctx, []returners.Expectation{{JID: r.JID, Minions: []string{"m"}, At: at}})))
		if n, err := st.CleanOlder(ctx, 24*time.Hour, 1000); n != 0 || err != nil {
			t.Errorf("a clock %v off removed %d rows, %v", off, n, err)
		}
	}
	st := s.Open(t, name, SQLOptions{})
	s.Server.Exec(t, name, "UPDATE mom_jobs SET stored = "+s.OldTime)
	if n, err := st.CleanOlder(ctx, 24*time.Hour, 1000); n != 3 || err != nil {
		t.Errorf("%d rows went, %v; want those of the one job that is old by its times too", n, err)
	}
	if n := Count(t, s.Server.Open(t, name), "SELECT COUNT(*) FROM mom_jobs"); n != 2 {
		t.Errorf("mom_jobs has %d rows", n)
	}
}
