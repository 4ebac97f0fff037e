package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// Rows have the form in which Salt's own returner writes them.
func TestRowsReadAsSaltWritesThem(t *testing.T) {
	s := server(t)
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			name := s.Database(t)
			st := open(t, s, name, as(f.name))
			value := wire.NewMap("args", []any{1, "x"}, "kwargs", wire.NewMap("k", "é"))
			full := wire.NewMap("id", "my-01", "success", true, "return", value, "retcode", 0, "jid", returnertest.JID(1), "fun", "test.arg", "fun_args", []any{1, wire.NewMap("k", "v")})
			failed := returnertest.Return(t, 1, "my-02", "cmd.run", "out")
			failed.Success = false
			if err := st.SaveReturns(t.Context(), []returners.Return{
				{JID: returnertest.JID(1), ID: "my-01", Fun: "test.arg", Success: true, Value: returnertest.Encode(t, value), Full: returnertest.Encode(t, full)}, failed,
			}); err != nil {
				t.Fatal(err)
			}
			// Equal as jsonb, whatever the order of the keys.
			n := count(t, s.Open(t, name), `SELECT COUNT(*) FROM salt_returns WHERE id = 'my-01' AND fun = 'test.arg' AND success = 'true'
				AND "return"::jsonb = '{"args": [1, "x"], "kwargs": {"k": "é"}}' AND full_ret::jsonb = '{"id": "my-01", "success": true,
				"return": {"args": [1, "x"], "kwargs": {"k": "é"}}, "retcode": 0, "jid": "`+returnertest.JID(1)+`", "fun": "test.arg", "fun_args": [1, {"k": "v"}]}'`)
			if n += count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns WHERE success = 'false' AND id = 'my-02'"); n != 2 {
				t.Errorf("%d of the two rows are as expected", n)
			}
		})
	}
}

// The load of an extended job replaces the previous one, whatever arrives late; that of any
// other job stays.
func TestLoadsGrow(t *testing.T) {
	s := server(t)
	st := open(t, s, s.Database(t))
	load := func(jid, fun string, part int, ids ...string) returners.Load {
		kwargs := wire.NewMap()
		if part > 0 {
			kwargs.Set(returners.PartField, part)
		}
		return returners.Load{JID: jid, Raw: returnertest.Encode(t, wire.NewMap("fun", fun, "tgt", ids, "tgt_type", "list", "kwargs", kwargs))}
	}
	a, b := returnertest.JID(1), returnertest.JID(2)
	for _, l := range []returners.Load{
		load(a, "test.ping", 0, "x"), load(a, "test.ping", 3, "x", "y", "z"), load(a, "test.ping", 2, "x", "y"), load(a, "test.ping", 0, "x"),
		load(b, "test.ping", 0, "x"), load(b, "test.other", 0, "x", "y"),
	} {
		if err := st.SaveLoads(t.Context(), []returners.Load{l}); err != nil {
			t.Fatal(err)
		}
	}
	for jid, want := range map[string]string{a: "[x y z] 3", b: "[x] 0"} {
		l, ok, err := st.GetLoad(t.Context(), jid)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		d, err := wire.DecodeMap(l.Raw)
		if got := fmt.Sprint(d.Strings("tgt"), l.Part()); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", jid, got, err, want)
		}
	}
}

// A return may be larger than a batch.
func TestLargeReturn(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	big := strings.Repeat("0123456789abcdé ", 5<<20/17)
	r := returnertest.Return(t, 1, "big", "cmd.run", big)
	small := returnertest.Return(t, 1, "small", "cmd.run", "x")
	for range 2 {
		if err := st.SaveReturns(t.Context(), []returners.Return{small, r}); err != nil {
			t.Fatal(err)
		}
	}
	rets, err := st.GetReturns(t.Context(), returnertest.JID(1))
	if err != nil || len(rets) != 2 {
		t.Fatalf("%d returns, %v", len(rets), err)
	}
	if got, err := wire.Str(rets[0].Value); err != nil || got != big {
		t.Errorf("%d bytes came back, %v; want %d", len(got), err, len(big))
	}
}

// Two tiers write the same jobs at the same time, in different order.
func TestTwoMastersOneDatabase(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	const jobs, minions = 4, 600
	var wg sync.WaitGroup
	for master := range 2 {
		st := open(t, s, name)
		for half := range 2 {
			wg.Go(func() {
				ctx := context.Background()
				for job := range jobs {
					if master == 1 {
						job = jobs - 1 - job
					}
					rets := make([]returners.Return, 0, minions)
					exp := returners.Expectation{JID: returnertest.JID(job), Node: strings.Repeat("syn-a", 1-master)}
					for m := range minions {
						if (half+master)%2 == 1 {
							m = minions - 1 - m
						}
						rets = append(rets, returnertest.Return(t, job, returnertest.Minion(m), "test.echo", fmt.Sprintf("%d/%d", job, m)))
						exp.Minions = append(exp.Minions, returnertest.Minion(m))
					}
					if err := errors.Join(
						st.SaveLoads(ctx, []returners.Load{returnertest.Load(t, job, "test.echo", "*")}),
						st.SaveExpectations(ctx, []returners.Expectation{exp}),
						st.SaveReturns(ctx, rets)); err != nil {
						t.Errorf("master %d: %v", master, err)
					}
				}
			})
		}
	}
	wg.Wait()
	db := s.Open(t, name)
	for _, table := range []string{"salt_returns", "mom_expected"} {
		if n := count(t, db, "SELECT COUNT(*) FROM "+table); n != jobs*minions {
			t.Errorf("%s has %d rows, want %d", table, n, jobs*minions)
		}
	}
	if n := count(t, db, "SELECT COUNT(*) FROM mom_expected WHERE node = 'syn-a' AND missing IS NULL"); n != jobs*minions {
		t.Errorf("%d rows name the longer path, want all", n)
	}
}

// TestExpectations_SeenFromSeveralTiers: a node and its parent write the state of a minion
// to one database, in any order. The parent's reason why no answer will come must not be
// cleared by the node's older state.
func TestExpectations_SeenFromSeveralTiers(t *testing.T) {
	s := server(t)
	asked := returners.Expectation{JID: returnertest.JID(1), Minions: []string{"m"}}
	gone := returners.Expectation{JID: returnertest.JID(1), Missing: map[string]string{"m": "Not connected"}}
	under := func(x returners.Expectation, path string) returners.Expectation { x.Node = path; return x }
	for name, order := range map[string][]returners.Expectation{
		"the node last":     {under(asked, "a"), under(gone, "a"), asked, gone},
		"its old word last": {under(asked, "a"), asked, gone, under(gone, "a"), asked},
		"the top last":      {asked, gone, under(asked, "a"), under(gone, "a")},
	} {
		t.Run(name, func(t *testing.T) {
			name := s.Database(t)
			st := open(t, s, name)
			for _, x := range order {
				if err := st.SaveExpectations(t.Context(), []returners.Expectation{x}); err != nil {
					t.Fatal(err)
				}
			}
			if n := count(t, s.Open(t, name), "SELECT COUNT(*) FROM mom_expected WHERE id = 'm' AND node = 'a' AND missing = 'Not connected'"); n != 1 {
				t.Error("the reason is lost")
			}
		})
	}
}

// TestExpectations_MovedMinion: a minion has moved to another node at the same distance
// from the top, which writes the states of both nodes. While one node asks the minion, the
// reason is NULL; when that node gives up, its reason is stored.
func TestExpectations_MovedMinion(t *testing.T) {
	s := server(t)
	asked := returners.Expectation{JID: returnertest.JID(1), Minions: []string{"m"}}
	gone := returners.Expectation{JID: returnertest.JID(1), Missing: map[string]string{"m": "Not connected"}}
	at := func(x returners.Expectation, path string) returners.Expectation { x.Node = path; return x }
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
			t.Run(home+"/"+name, func(t *testing.T) {
				name := s.Database(t)
				st := open(t, s, name)
				for _, x := range c.order {
					if err := st.SaveExpectations(t.Context(), []returners.Expectation{x}); err != nil {
						t.Fatal(err)
					}
				}
				var why string
				if err := s.Open(t, name).QueryRowContext(t.Context(), "SELECT COALESCE(missing, '') FROM mom_expected WHERE id = 'm'").Scan(&why); err != nil {
					t.Fatal(err)
				}
				if why != c.want {
					t.Errorf("the reason is %q, want %q", why, c.want)
				}
			})
		}
	}
}

func TestArchiveJobs(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name, func(o *Options) { o.ArchiveJobs = true })
	ctx := t.Context()
	var rets []returners.Return
	for m := range 25 {
		rets = append(rets, returnertest.Return(t, 1, returnertest.Minion(m), "test.ping", true))
	}
	if err := errors.Join(st.SaveLoads(ctx, []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}), st.SaveReturns(ctx, rets),
		st.SaveEvents(ctx, []returners.Event{{Tag: "t", Data: rets[0].Value, At: returnertest.Time(1)}})); err != nil {
		t.Fatal(err)
	}
	for {
		n, err := st.Clean(ctx, returnertest.Time(100), 10)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	db := s.Open(t, name)
	for table, want := range map[string]int64{"jids": 1, "salt_returns": 25, "salt_events": 1} {
		if n := count(t, db, "SELECT COUNT(*) FROM "+table); n != 0 {
			t.Errorf("%s still has %d rows", table, n)
		}
		if n := count(t, db, "SELECT COUNT(*) FROM "+table+"_archive"); n != want {
			t.Errorf("%s_archive has %d rows, want %d", table, n, want)
		}
	}
}

// The database's clock measures the age of shared jobs. A master whose clock is days off
// removes nothing that was stored recently; the time in a jid does not count either. Jobs
// that are old by the database's clock are removed. It runs with one job each.
func TestAgesAreThoseOfTheDatabase(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	ctx := t.Context()
	for _, off := range []time.Duration{-72 * time.Hour, 0, 72 * time.Hour} {
		at := time.Now().Add(off)
		st := open(t, s, name, func(o *Options) { o.Now = func() time.Time { return at } })
		r := returnertest.Return(t, 1, "m", "test.ping", true)
		r.JID, r.At = jid.New(at), at
		x := returners.Expectation{JID: r.JID, Minions: []string{"m"}, At: at}
		if err := errors.Join(st.SaveReturns(ctx, []returners.Return{r}), st.SaveExpectations(ctx, []returners.Expectation{x})); err != nil {
			t.Fatal(err)
		}
		if n, err := st.CleanOlder(ctx, 24*time.Hour, 1000); n != 0 || err != nil {
			t.Errorf("a clock %v off removed %d rows, %v", off, n, err)
		}
	}
	st, db := open(t, s, name), s.Open(t, name)
	s.Exec(t, name, "UPDATE mom_jobs SET stored = CURRENT_TIMESTAMP - INTERVAL '25 hours'")
	if n, err := st.CleanOlder(ctx, 24*time.Hour, 1000); n != 3 || err != nil { // the times of the others are not past by any clock
		t.Errorf("%d rows went, %v; want those of the one job that is old by its times too", n, err)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM mom_jobs"); n != 2 {
		t.Errorf("mom_jobs has %d rows", n)
	}
}

// A trigger rejects a row: an error of the row. A further unique key means that the row is
// there.
func TestUserKeyThatDoublesIsNoError(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, name, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.id = ''bad'' THEN RAISE EXCEPTION ''no''; END IF; RETURN NEW; END';"+
		"CREATE TRIGGER refuse BEFORE INSERT ON salt_returns FOR EACH ROW EXECUTE FUNCTION refuse(); CREATE UNIQUE INDEX mine ON salt_returns (fun) WHERE fun = 'once'")
	err := st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "bad", "test.ping", true)})
	if !errors.Is(err, returners.ErrRejected) || returners.Class(err) != ClassData {
		t.Errorf("trigger: %v", err)
	}
	var rets []returners.Return
	for _, id := range []string{"a", "dup", "z"} {
		rets = append(rets, returnertest.Return(t, 2, id, "once", true))
	}
	if err := st.SaveReturns(t.Context(), rets); err != nil {
		t.Errorf("23505: %v", err)
	}
	if n := count(t, s.Open(t, name), "SELECT COUNT(*) FROM salt_returns"); n != 1 || st.Stats().Duplicates != 2 {
		t.Errorf("%d rows, %+v", n, st.Stats())
	}
}

// One call may name a minion several times: the states apply in their order.
func TestExpectations_OneCall(t *testing.T) {
	s := server(t)
	st := open(t, s, s.Database(t))
	x := func(missing map[string]string, ids ...string) returners.Expectation {
		return returners.Expectation{JID: returnertest.JID(1), Minions: ids, Missing: missing}
	}
	why := map[string]string{"a": "gone"}
	for range 2 {
		if err := st.SaveExpectations(t.Context(), []returners.Expectation{x(nil, "a", "b"), x(why), x(nil, "a", "c"), x(map[string]string{"b": "gone"})}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := st.GetExpectations(t.Context(), returnertest.JID(1))
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Minions, []string{"a", "c"}) || got[0].Missing["b"] != "gone" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A missing minion that returns has no reason any longer, in whichever order the two are
// stored; others keep theirs.
func TestExpectations_LateReturn(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name)
	jobs := []string{returnertest.JID(1), returnertest.JID(2)}
	for i, jid := range jobs {
		exp := returners.Expectation{JID: jid, Minions: []string{"here"}, Missing: map[string]string{"late": "Queued", "gone": "Not connected"}, At: returnertest.Time(1)}
		save := []func() error{
			func() error { return st.SaveExpectations(t.Context(), []returners.Expectation{exp}) },
			func() error {
				return st.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, i+1, "here", "test.ping", true), returnertest.Return(t, i+1, "late", "test.ping", true)})
			},
		}
		if i == 1 {
			slices.Reverse(save)
		}
		for _, f := range save {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
		got, err := st.GetExpectations(t.Context(), jid)
		if err != nil || len(got) != 1 || !slices.Equal(got[0].Minions, []string{"here", "late"}) || len(got[0].Missing) != 1 || got[0].Missing["gone"] != "Not connected" {
			t.Errorf("job %d: %+v, %v", i+1, got, err)
		}
	}
}
