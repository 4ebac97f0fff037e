package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// wired is a channel of top one to the Service of another top.
type wired struct {
	to    *Service
	slow  time.Duration
	gone  bool
	asked []string // what
}

func (w *wired) Addr() string { return "two:4506" }
func (w *wired) Close() error { return nil }
func (w *wired) Current() (channel.Result, bool) {
	return channel.Result{MasterPub: pair.PublicPEM}, true
}

func (w *wired) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	b, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	r := &server.Request{ID: "one", Load: b}
	serve := w.to.onHello
	if load.String("cmd") == lookupCommand {
		w.asked = append(w.asked, load.String("what"))
		if w.gone {
			return nil, errors.New("connection refused")
		}
		select {
		case <-time.After(w.slow):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		serve = w.to.onLookup
	}
	v, err := serve(ctx, r)
	if err != nil {
		return nil, err
	}
	return wire.Encode(v)
}

// lookUp runs a test at top one, which is connected to top two.
func lookUp(t *testing.T, theirs *shelf, test func(ctx context.Context, s *Service, w *wired)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		top := func(id string, jobs Jobs, admitted book, chans ...Channel) *Service {
			return New(Options{
				ID: "c", Node: id, Version: "1", Channels: chans, Roles: admitted, Keys: admitted, Jobs: jobs,
				Sync: keysOf(dir), Log: slog.New(slog.DiscardHandler), Now: time.Now,
			})
		}
		w := &wired{to: top("two", theirs, book{"one"})}
		s := top("one", &shelf{}, book{"two"}, w)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		synctest.Wait()
		if st := s.Status()[0]; !st.Up {
			t.Fatalf("not connected: %s", st.Why)
		}
		test(ctx, s, w)
		cancel()
		<-done
	})
}

func published(t testing.TB, jid string) returners.Load {
	t.Helper()
	raw, err := wire.Encode(wire.NewMap("fun", "test.ping", "tgt", "*", "tgt_type", "glob", "jid", jid, "user", "ann"))
	if err != nil {
		t.Fatal(err)
	}
	return returners.Load{JID: jid, Raw: raw, User: "ann", At: time.UnixMicro(7).UTC()}
}

func returned(t testing.TB, jid, id string, value any) returners.Return {
	t.Helper()
	full, err := wire.Encode(wire.NewMap("jid", jid, "id", id, "fun", "test.ping", "return", value))
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return returners.Return{JID: jid, ID: id, Fun: "test.ping", Success: true, Retcode: 3, Out: "nested", MasterID: "m", Via: "n/o", Value: v, Full: full, At: time.UnixMicro(9).UTC()}
}

// account are the expectations of a job at a top that published it.
func account(jid string) []returners.Expectation {
	at := time.UnixMicro(8).UTC()
	return []returners.Expectation{
		{JID: jid, State: returners.StateAnswered, At: at},
		{JID: jid, Node: "n", Minions: []string{"a", "b"}, Missing: map[string]string{"c": "Not connected"}, State: returners.StateAnswered, At: at},
	}
}

func ids(rets []returners.Return) (out []string) {
	for _, r := range rets {
		out = append(out, r.ID)
	}
	return out
}

func jids(loads []returners.Load) (out []string) {
	for _, l := range loads {
		out = append(out, l.JID)
	}
	return out
}

// A top that has only returns of a job reads its account, its load and the other returns at the
// other top, with one question. It does not ask about a job whose account it has.
func TestReader(t *testing.T) {
	load := published(t, "1")
	theirs := &shelf{
		loads: []returners.Load{load, published(t, "2")}, xs: append(account("1"), account("2")...),
		rets:     []returners.Return{returned(t, "1", "b", "two"), returned(t, "1", "a", "one"), returned(t, "2", "x", 1)},
		accounts: map[string]engine.Account{"1": {JID: "1", Waiting: map[string]string{"d": "n"}, Missing: map[string]jobevent.Absence{"c": {Reason: "Not connected", Path: "n"}}}},
	}
	theirs.rets = append(theirs.rets, returners.Return{JID: "1", ID: "e", Fun: "test.ping"}) // its result is not kept
	lookUp(t, theirs, func(ctx context.Context, s *Service, w *wired) {
		other := published(t, "1")
		other.User = "of the node"
		own := &shelf{
			loads: []returners.Load{other, published(t, "2")}, rets: []returners.Return{returned(t, "1", "a", "one")},
			xs: append(account("2"), returners.Expectation{JID: "1", Node: "n", Minions: []string{"a", "c"}}, returners.Expectation{JID: "1", Node: "q", Minions: []string{"z"}}),
		}
		r := s.Reader(own, false)
		l, ok, err := r.GetLoad(ctx, "1")
		if err != nil || !ok || l.User != "ann" || string(l.Raw) != string(load.Raw) || !l.At.Equal(load.At) {
			t.Errorf("load %+v, %v, %v", l, ok, err)
		}
		rets, err := r.GetReturns(ctx, "1")
		if err != nil || strings.Join(ids(rets), " ") != "a b e" {
			t.Errorf("returns %v, %v", ids(rets), err)
		}
		want := returned(t, "1", "b", "two")
		if got := rets[1]; fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("return\n%+v, want\n%+v", got, want)
		}
		if got := rets[2]; got.Full != nil || got.Value != nil {
			t.Errorf("return %+v", got)
		}
		xs, err := r.GetExpectations(ctx, "1")
		if err != nil || len(xs) != 3 || xs[0].Node != "" || xs[1].Missing["c"] == "" || strings.Join(xs[1].Minions, " ") != "a b" || xs[2].Node != "q" {
			t.Errorf("expectations %+v, %v", xs, err)
		}
		a, ok := r.Account(ctx, "1")
		if !ok || !a.Open() || a.Waiting["d"] != "n" || a.Missing["c"] != (jobevent.Absence{Reason: "Not connected", Path: "n"}) {
			t.Errorf("account %+v, %v", a, ok)
		}
		if ret, ok, err := r.GetReturn(ctx, "1", "b"); err != nil || !ok || string(ret.Value) != string(want.Value) {
			t.Errorf("return of b: %+v, %v, %v", ret, ok, err)
		}
		if _, ok, err := r.GetReturn(ctx, "1", "none"); err != nil || ok {
			t.Errorf("return of nobody: %v, %v", ok, err)
		}
		if !slices.Equal(w.asked, []string{askJob}) {
			t.Errorf("asked %v", w.asked)
		}
		if rets, err := r.GetReturns(ctx, "2"); err != nil || len(rets) != 0 || len(w.asked) != 1 {
			t.Errorf("a job with an account here: returns %v, %v; asked %v", ids(rets), err, w.asked)
		}
		if _, ok, err := r.GetLoad(ctx, "3"); ok || err != nil {
			t.Errorf("an unknown job: %v, %v", ok, err)
		}
	})
}

// A long answer comes in parts.
func TestReader_Parts(t *testing.T) {
	theirs := &shelf{loads: []returners.Load{published(t, "1")}, xs: account("1")}
	for i := range 6 {
		theirs.rets = append(theirs.rets, returned(t, "1", fmt.Sprint("m", i), strings.Repeat("x", partBytes/3)))
	}
	lookUp(t, theirs, func(ctx context.Context, s *Service, w *wired) {
		r := s.Reader(&shelf{}, false)
		if ret, ok, err := r.GetReturn(ctx, "1", "m5"); err != nil || !ok || ret.ID != "m5" || len(w.asked) != 2 {
			t.Errorf("m5: %v, %v, asked %v", ok, err, w.asked)
		}
		rets, err := r.GetReturns(ctx, "1")
		if err != nil || strings.Join(ids(rets), " ") != "m0 m1 m2 m3 m4 m5" || len(w.asked) != 4 {
			t.Errorf("returns %v, %v, asked %v", ids(rets), err, w.asked)
		}
		again, err := r.GetReturns(ctx, "1")
		if err != nil || len(again) != 6 || len(w.asked) != 4 {
			t.Errorf("again: %v, %v, asked %v", ids(again), err, w.asked)
		}
	})
}

// A list has the jobs of both tops once, the newest first.
func TestReader_List(t *testing.T) {
	var theirs shelf
	for i := range partRows + 10 {
		theirs.loads = append(theirs.loads, published(t, fmt.Sprintf("%06d", i)))
	}
	lookUp(t, &theirs, func(ctx context.Context, s *Service, w *wired) {
		own := &shelf{loads: []returners.Load{published(t, "000003"), published(t, "9")}}
		got, err := s.Reader(own, false).ListJobs(ctx, returners.Filter{})
		if err != nil || len(got) != partRows+11 || got[0].JID != "9" || !slices.IsSortedFunc(got, func(a, b returners.Load) int { return strings.Compare(b.JID, a.JID) }) {
			t.Errorf("%d jobs, %v", len(got), err)
		}
		if !slices.Equal(w.asked, []string{askJobs, askLoads, askLoads}) {
			t.Errorf("asked %v", w.asked)
		}
		got, err = s.Reader(own, false).ListJobs(ctx, returners.Filter{Limit: 2})
		if err != nil || strings.Join(jids(got), " ") != fmt.Sprintf("9 %06d", partRows+9) {
			t.Errorf("limited: %v, %v", jids(got), err)
		}
		got, err = s.Reader(own, false).ListJobs(ctx, returners.Filter{Fun: []string{"state.*"}})
		if err != nil || len(got) != 0 {
			t.Errorf("filtered: %v, %v", jids(got), err)
		}
		w.asked = nil
		if got, err = s.Reader(own, true).ListJobs(ctx, returners.Filter{}); err != nil || len(got) != 2 || len(w.asked) != 0 {
			t.Errorf("shared: %v, %v, asked %v", jids(got), err, w.asked)
		}
	})
}

// Another top that does not answer delays a lookup by a second; one that is away, or does not know
// the question, not at all. What is here is the answer.
func TestReader_NoAnswer(t *testing.T) {
	theirs := &shelf{loads: []returners.Load{published(t, "1")}, xs: account("1"), accounts: map[string]engine.Account{"1": {JID: "1"}}}
	lookUp(t, theirs, func(ctx context.Context, s *Service, w *wired) {
		own := &shelf{rets: []returners.Return{returned(t, "1", "a", 1)}}
		lookup := func(want time.Duration) {
			t.Helper()
			began := time.Now()
			rets, err := s.Reader(own, false).GetReturns(ctx, "1")
			if took := time.Since(began); err != nil || len(rets) != 1 || took != want {
				t.Errorf("returns %v, %v after %v", ids(rets), err, took)
			}
		}
		if got := s.Active(ctx); got["two"].Map("1") == nil {
			t.Errorf("active %v", got)
		}
		w.slow = time.Minute
		lookup(lookupWait)
		w.gone = true
		lookup(0)
		if got := s.Active(ctx); len(got) != 0 {
			t.Errorf("active %v", got)
		}
	})
}

// Only an admitted top looks jobs up.
func TestLookup_NotAdmitted(t *testing.T) {
	lookUp(t, &shelf{}, func(ctx context.Context, _ *Service, w *wired) {
		load, err := wire.Encode(wire.NewMap("what", askJob, "jid", "1"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := w.to.onLookup(ctx, &server.Request{ID: "three", Load: load})
		if d, _ := v.(*wire.Map); err != nil || !strings.Contains(d.String("error"), "mom node admit --top three") || d.Has("answer") {
			t.Errorf("%v, %v", v, err)
		}
	})
}

// Any answer of another top is a job or an error.
func FuzzReadJob(f *testing.F) {
	r := jobRecord{
		load: published(f, "1"), loaded: true, expectations: account("1"), returns: []returners.Return{returned(f, "1", "a", 1), {JID: "1", ID: "b"}}, more: true,
		open: true, account: engine.Account{Waiting: map[string]string{"c": "n"}, Missing: map[string]jobevent.Absence{"d": {Reason: "r"}}},
	}
	m, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range []any{nil, m, wire.NewMap("load", 3), wire.NewMap("returns", []any{[]any{"a"}}), wire.NewMap("jids", []any{"1"}), wire.NewMap("loads", []any{encodeLoad(published(f, "1"))}, "through", 1)} {
		b, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = readJIDs(b)
		_, _, _ = readLoads(b)
		r, err := readJob("1", b)
		if err != nil {
			return
		}
		for _, ret := range r.returns {
			if ret.JID != "1" || ret.ID == "" {
				t.Errorf("return %+v", ret)
			}
		}
		m, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if r2, err := readJob("1", again); err != nil || len(r2.returns) != len(r.returns) || r2.loaded != r.loaded || r2.open != r.open {
			t.Errorf("%+v, %v; was %+v", r2, err, r)
		}
	})
}
