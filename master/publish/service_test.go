package publish

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
	"github.com/momtree/mom/topology"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const someJob = "20260102030405000001"

// world is the master around a service, with one minion. It stores, and publishes at once.
type world struct {
	*Service
	store *memory.Store
	full  error // what the disk says
	tree  topology.Node
	told  []string

	ledger *ledger.Ledger // nil: no job is known
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{store: memory.Open(time.Now)}
	w.Service = New(Options{
		Ctx: t.Context(), Config: config.DefaultMaster(), Access: &access.Control{List: access.New(access.Options{Log: quiet}), Own: "root"}, Policy: w, Peers: w, Publications: outgoing{w}, Jobs: engine{w}, Audit: func(access.Asked) {},
		Below: func(id string) (topology.Node, bool) { return w.tree.At(id) }, Tree: func() topology.Node { return w.tree },
		Room: func(context.Context) error { return nil }, Store: w, Traces: traces{}, Own: "root", JID: func() string { return someJob },
		Sign: func(*wire.Publication, *wire.Map, bool) error { return nil },
		Note: func(context.Context, ...returners.Note) error { return nil },
		Show: func(jid string, _ wire.Raw, minions []string) { w.tell("shown " + jid) }, Refused: func(_, user, fun string) { w.tell("refused " + user + " " + fun) },
		Failing: func(what string, _ error, _ ...any) { w.tell(what) }, Fire: func(tag string, _ wire.Raw) { w.tell("fired " + tag) },
		Log: quiet, Now: time.Now,
	})
	t.Cleanup(func() {
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) tell(what string) { w.told = append(w.told, what) }

// want compares what was told since the last time.
func (w *world) want(t *testing.T, told ...string) {
	t.Helper()
	if !slices.Equal(w.told, told) {
		t.Errorf("told %q, want %q", w.told, told)
	}
	w.told = nil
}

func (w *world) Match(tgt any, tgtType, _ string) (ownership.Audience, error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{})
	a := ownership.Audience{Expr: expr}
	if err == nil && expr.Match(target.ID("m1")) {
		a.Minions = []string{"m1"}
	}
	for _, n := range w.tree.Nodes {
		a.Nodes = append(a.Nodes, ledger.Node{ID: n.ID})
	}
	return a, err
}

func (w *world) Where(letter, pattern string) ([]string, error) {
	if letter == "B" && pattern == "n1" {
		return []string{"m1"}, nil
	}
	return nil, errors.New("there is no node " + pattern)
}
func (w *world) Aimed(string, string, target.Expr) {}
func (w *world) Conns([]string) map[uint64]bool    { return nil }
func (w *world) Trespassed(t ownership.Trespass)   { w.tell("trespass " + t.Kind) }
func (w *world) Awaits(string) bool                { return false }
func (w *world) LookAgain(ledger.Job)              {}
func (w *world) Local() returners.Reader           { return w.store }
func (w *world) Minions(ids []string, _ func(string) bool) []ledger.Minion {
	return make([]ledger.Minion, len(ids))
}

func (w *world) Save(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if w.full != nil {
		return returners.Result{}, w.full
	}
	return w.store.Commit(ctx, b)
}

type traces struct{}

func (traces) Received(string, time.Time)  {}
func (traces) Published(string, time.Time) {}

func (traces) Traced(string, tracing.Carrier) {}

type outgoing struct{ w *world }

func (outgoing) QueueUntil(wire.PublishLoad, *wire.Map) (time.Time, error) {
	return time.Time{}, nil
}

func (outgoing) Retain(wire.Publication, []string, time.Time) ([]byte, error) {
	return []byte("kept"), nil
}
func (outgoing) Published(string) bool { return false }
func (p outgoing) Drop(jid string)     { p.w.tell("dropped " + jid) }
func (p outgoing) Send(x wire.Publication, _ []string, _ *zmtp.Choice) error {
	p.w.tell("sent " + x.JID)
	return nil
}

// engine wants a job published once it is stored.
type engine struct{ w *world }

func (engine) Publish(_ context.Context, p jobs.Publication) (jobs.Save, bool, error) {
	return jobs.Save{Batch: returners.Batch{Loads: []returners.Load{p.Load}, Expectations: []returners.Expectation{{JID: p.Spec.JID, Minions: p.Minions}}}}, false, nil
}

func (e engine) Saved(s jobs.Save, _ returners.Result, err error) {
	if err == nil {
		e.w.TellNew(s.Batch.Loads[0].JID)
		e.w.PublishNow(jobs.Publish{JID: s.Batch.Loads[0].JID})
	}
}
func (engine) Known(_ context.Context, jid string) (bool, error) { return jid == someJob, nil }
func (e engine) Expected(jid string) (ledger.Expected, bool) {
	if e.w.ledger == nil {
		return ledger.Expected{}, false
	}
	return e.w.ledger.Expected(jid)
}
func (engine) Published(string)                          {}
func (engine) CountStored(context.Context, string) error { return nil }

func load(t *testing.T, tgt, fun, jid string) wire.Raw {
	t.Helper()
	b, err := wire.Encode(wire.NewMap("cmd", "publish", "tgt", tgt, "tgt_type", "glob", "fun", fun, "arg", []any{}, "jid", jid, "user", "root"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A job is stored before it is told and published, and not published if it is not stored.
func TestStart(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Give(t.Context(), load(t, "nosuch", "test.ping", ""), access.By{Owner: "root"}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("for nobody: %v", err)
	}
	w.want(t)
	w.full = returners.ErrFull
	if _, err := w.Give(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"}); !errors.Is(err, ErrNotNow) || !errors.Is(err, returners.ErrFull) {
		t.Errorf("on a full disk: %v", err)
	}
	w.want(t, "dropped "+someJob, "A job could not be started")
	w.full = nil
	j, err := w.Give(t.Context(), load(t, "*", "test.ping", ""), access.By{Owner: "root"})
	if err != nil || j.JID != someJob {
		t.Fatalf("%+v, %v", j, err)
	}
	w.want(t, "shown "+someJob, "fired salt/job/"+someJob+"/new", "sent "+someJob)
}

// Who gives a jid again gives the same job, or is refused.
func TestSameJob(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		if _, err := w.Give(t.Context(), load(t, "*", "test.ping", someJob), access.By{Owner: "root"}); err != nil {
			t.Fatal(err)
		}
	}
	w.told = nil
	if _, err := w.Give(t.Context(), load(t, "*", "test.echo", someJob), access.By{Owner: "root"}); err == nil || errors.Is(err, ErrNotNow) {
		t.Errorf("another job: %v", err)
	}
	w.want(t, "trespass "+ownership.OfRecord)
}

// While too many words wait for the disk no job is begun; one that runs here already brings
// none, and who asks for it second hears at once who has to answer it.
func TestRoom(t *testing.T) {
	w := newWorld(t)
	crowded := errors.New("the disk is slow")
	w.o.Room = func(context.Context) error { return crowded }
	for _, c := range []struct {
		job  Job
		want error
	}{{Job{JID: someJob, fromAbove: true}, nil}, {Job{JID: "2", fromAbove: true}, crowded}, {Job{JID: someJob}, crowded}} {
		if err := w.room(t.Context(), &c.job); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.job, err, c.want)
		}
	}
}
