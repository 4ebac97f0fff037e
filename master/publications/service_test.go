package publications

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

const someJob = "20260102030405000001"

// world is the master around a service. It records what is sent and the calls of the engine.
type world struct {
	*Service
	shared  *keys.Shared
	store   *memory.Store
	expects map[string]bool
	sent    []string
	calls   []string
	nodes   map[string]nodecall.Answer
	given   atomic.Uint64
	known   map[uint64]bool
	below   map[uint64]bool
	stock   map[uint64]bool // connections of stock minions
	own     map[uint64]bool // connections of mom's peers
	leaf    bool            // no key may be a node's
	was     int64           // position until which all minions were stock minions; 0: none was
	had     bool            // all were connected when a job was published
	conns   map[string][]uint64
	sealed  []wire.Publication // all sent; picked are their receivers
	picked  []*zmtp.Choice
	again   func(cipher []byte) // if set, gets what is put into an envelope
	now     func() time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{store: memory.Open(time.Now), expects: map[string]bool{}, now: time.Now}
	var err error
	if w.shared, err = keys.NewShared(time.Now); err != nil {
		t.Fatal(err)
	}
	c := config.DefaultMaster()
	c.Cachedir, c.PublishRetention = t.TempDir(), time.Hour
	journal, err := retention.OpenJournal(retention.JournalOptions{Path: filepath.Join(c.Cachedir, "journal")})
	if err != nil {
		t.Fatal(err)
	}
	w.Service, err = Open(t.Context(), Options{
		Config: c, Keys: w, Key: w.shared.Current, Port: w, Journal: journal, Store: w, Jobs: jobs{w}, Delivery: jobs{w},
		Nodes: func() []string { return slices.Sorted(maps.Keys(w.nodes)) }, MayHaveNodes: func() bool { return !w.leaf },
		Known: func() map[uint64]bool { return w.known }, NodeConns: func() map[uint64]bool { return w.below }, MinionConns: func(id string) []uint64 { return w.conns[id] },
		StockConns: func() map[uint64]bool { return w.stock }, OwnConns: func() map[uint64]bool { return w.own },
		Unheard: func(uint64, string, int64) bool { return false }, WasStock: func(_ string, at int64) bool { return w.was >= at },
		Age: time.Now, Steady: func() bool { return true }, Given: &w.given, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Close()
		if err := errors.Join(journal.Close(), w.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// Ask implements [Asker].
func (w *world) Ask(context.Context, []string, string, any) (map[string]nodecall.Answer, error) {
	return w.nodes, nil
}

// publish stores and sends a job.
func (w *world) publish(t *testing.T, until time.Time) {
	t.Helper()
	fun, err := wire.Encode("test.ping")
	if err != nil {
		t.Fatal(err)
	}
	p := wire.Publication{JID: someJob, Fun: fun, Arg: wire.Raw{0x90}, Tgt: fun}
	if stored, err := w.Retain(p, nil, until); err != nil || stored == nil {
		t.Fatalf("it keeps %x, %v", stored, err)
	}
	if err := w.Send(p, []string{channel.ToAll}, nil); err != nil {
		t.Fatal(err)
	}
}

func (w *world) Seal(p wire.Publication, number func(*wire.Publication), send func([]byte) error) error {
	number(&p)
	w.sealed = append(w.sealed, p)
	return send([]byte(p.JID))
}

func (w *world) Envelope(cipher []byte) ([]byte, error) {
	if w.again != nil {
		w.again(cipher)
	}
	return []byte("again"), nil
}

func (w *world) SendTo(topic string, body []byte, to *zmtp.Choice) error {
	w.picked = append(w.picked, to)
	w.sent = append(w.sent, fmt.Sprintf("%q %s", topic, body))
	return nil
}

// Selects says that connections 1 to 9 are there.
func (w *world) Selects(to *zmtp.Choice) bool {
	for c := range uint64(9) {
		if to == nil || to.IDs[c+1] != to.But {
			return true
		}
	}
	return false
}

func (w *world) SendPeer(conn uint64, topic string, body []byte) error {
	w.sent = append(w.sent, fmt.Sprintf("%d %q %s", conn, topic, body))
	return nil
}

func (w *world) Local() returners.Reader     { return w.store }
func (w *world) Embedded() jobstore.Embedded { return w.store }
func (w *world) Save(ctx context.Context, b returners.Batch) (returners.Result, error) {
	return w.store.Commit(ctx, b)
}

func (w *world) Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error) {
	return w.store.Outcomes(ctx, jid)
}

func (j jobs) State(string) (engine.Account, bool) { return engine.Account{}, false }
func (j jobs) Expects(_, id string) bool           { return j.w.expects[id] }
func (j jobs) ExpectsNode(_, id string) bool       { return j.w.expects[id] }
func (j jobs) RedeliveredNode(jid, id string)      { j.Redelivered(jid, id) }
func (j jobs) NotDelivered(string, string) bool    { return !j.w.had }

// jobs records its calls.
type jobs struct{ w *world }

func (jobs) KeepPublication(returners.Part, bool) {}
func (jobs) DropPublications(...returners.Part)   {}
func (j jobs) Redelivered(_, id string)           { j.w.calls = append(j.w.calls, "redelivered "+id) }

func (j jobs) RedeliveredStock(_, id string) {
	j.w.calls = append(j.w.calls, "redelivered to stock "+id)
}

func (j jobs) Overdue(_, reason string, minions map[string]string) {
	j.w.calls = append(j.w.calls, fmt.Sprint(reason, " ", slices.Sorted(maps.Keys(minions))))
}

// A peer receives exactly the publications it missed and must answer.
func TestMissed(t *testing.T) {
	w := newWorld(t)
	w.publish(t, time.Time{})
	if want := []string{`"" ` + someJob}; !slices.Equal(w.sent, want) {
		t.Errorf("sent %q", w.sent)
	}
	w.expects["m1"] = true
	heard := wire.NewMap("heard", []any{"another life", int64(0)})
	for id, want := range map[string]int{"m1": 1, "m2": 0} {
		if jids, know := w.Missed(id, heard); len(jids) != want || know.Int("missed") != int64(want) || know.Int("head") != 1 {
			t.Errorf("%s missed %v, %v", id, jids, know)
		}
	}
	if jids, know := w.Missed("m1", wire.NewMap()); jids != nil || know != nil {
		t.Errorf("one that does not say what it heard fetches %v, %v", jids, know)
	}
}

// A minion of mom in the place of a stock minion is not given what that one may have run.
func TestMissed_WasStock(t *testing.T) {
	for name, c := range map[string]struct {
		until time.Time // the job is queued for minions that are away
		had   bool
		was   int64
		want  int
	}{
		"it was one of mom":           {had: true, want: 1},
		"it was connected":            {had: true, was: 1 << 40, want: 0},
		"it was away":                 {was: 1 << 40, want: 1},
		"it was away, queued for it":  {until: time.Now().Add(time.Hour), was: 1 << 40, want: 1},
		"it was connected and queued": {until: time.Now().Add(time.Hour), had: true, was: 1 << 40, want: 0},
	} {
		w := newWorld(t)
		w.publish(t, c.until)
		w.expects["m1"], w.had, w.was = true, c.had, c.was
		if jids, _ := w.Missed("m1", wire.NewMap("heard", []any{"", int64(0)})); len(jids) != c.want {
			t.Errorf("%s: fetches %v", name, jids)
		}
	}
}

// A stock minion receives on its connection what was sent before it was identified.
func TestSendMissed(t *testing.T) {
	w := newWorld(t)
	before := w.Heard()
	w.publish(t, time.Time{})
	w.expects["m1"], w.sent = true, nil
	w.SendMissed(7, "m1", before) // received already
	w.SendMissed(8, "m2", w.Heard())
	if len(w.sent) != 0 {
		t.Errorf("sent %q", w.sent)
	}
	w.SendMissed(9, "m1", presence.Before{Number: 1})
	if !slices.Equal(w.sent, []string{`9 "" again`}) || !slices.Equal(w.calls, []string{"redelivered to stock m1"}) || w.given.Load() != 1 {
		t.Errorf("sent %q, calls %q", w.sent, w.calls)
	}
}

// A minion found away after the deadline expires and is not queued.
func TestFoundAwayBehindTheDeadline(t *testing.T) {
	away := func(path string) jobevent.Absence { return jobevent.Absence{Reason: engine.Queued, Path: path} }
	for name, c := range map[string]struct {
		until  time.Duration
		gone   map[string]jobevent.Absence
		calls  []string
		queued bool
	}{
		"before it":                             {time.Hour, map[string]jobevent.Absence{"m1": away("")}, nil, true},
		"behind it":                             {-time.Second, map[string]jobevent.Absence{"m1": away(""), "m2": away("n1/n2")}, []string{engine.Expired + " [m1 m2]"}, false},
		"behind it, for other reasons":          {-time.Second, map[string]jobevent.Absence{"m1": {Reason: engine.NotConnected}}, nil, false},
		"behind it, behind a node that is here": {-time.Second, map[string]jobevent.Absence{"m2": away("n9")}, []string{engine.Expired + " [m2]"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publish(t, time.Now().Add(c.until))
			w.Tend()
			w.QueueAway(someJob, c.gone, map[string]jobevent.NodeState{"n1": jobevent.NodeUnreachable})
			if !slices.Equal(w.calls, c.calls) || w.Wants(someJob, "m1") != c.queued {
				t.Errorf("calls %q; queued %v", w.calls, w.Wants(someJob, "m1"))
			}
		})
	}
}

// Minions queued at a node further down expire at the deadline if nothing was reported: the path
// may be lost.
func TestQueuedBelowExpires(t *testing.T) {
	away := func(path string) jobevent.Absence { return jobevent.Absence{Reason: engine.Queued, Path: path} }
	w := newWorld(t)
	deadline := time.Now().Add(time.Hour)
	w.publish(t, deadline)
	// n1 is connected, n2 below it is silent; n1 has its own queue for m4.
	w.QueueAway(someJob, map[string]jobevent.Absence{"m2": away("n1/n2"), "m3": away("n1/n2"), "m4": away("n1"), "m5": away("n1")}, map[string]jobevent.NodeState{"n1/n2": jobevent.NodeSilent})
	if w.Wants(someJob, "m2") || w.WantsNode(someJob, "n1") || !w.Pending(someJob) {
		t.Error("a minion receives the job from here, or none is expected")
	}
	w.QueueAnswered(someJob, "m3")                                                                        // has returned
	w.QueueAway(someJob, map[string]jobevent.Absence{"m5": {Reason: engine.NoResponse, Path: "n1"}}, nil) // its node reports a reason
	if w.Tend(); len(w.calls) > 0 {
		t.Errorf("calls %q before the deadline", w.calls)
	}
	w.now = func() time.Time { return deadline.Add(time.Second) }
	if w.Tend(); !slices.Equal(w.calls, []string{engine.Expired + " [m2 m4]"}) || w.Pending(someJob) {
		t.Errorf("calls %q", w.calls)
	}
}

// Minions queued behind a node below are named when the job is taken back: no node may know them.
func TestQueuedBelowIsDequeued(t *testing.T) {
	w := newWorld(t)
	w.nodes = map[string]nodecall.Answer{"n1": {Err: errors.New("not reached")}}
	w.publish(t, time.Now().Add(time.Hour))
	w.QueueAway(someJob, map[string]jobevent.Absence{"m2": {Reason: engine.Queued, Path: "n1/n2"}}, map[string]jobevent.NodeState{"n1": jobevent.NodeUnreachable})
	w.QueueHeard("n1", jobevent.Expectation{JID: someJob, Ours: true}) // it has forgotten n2, which is away too
	if _, _, err := w.DequeueTree(t.Context(), w, someJob); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.calls, []string{engine.Dequeued + " [m2]"}) || w.Pending(someJob) {
		t.Errorf("calls %q", w.calls)
	}
}

// A node that is away has not taken over a queued job just because minions arrived there with it:
// it receives the job when it is back. The second part uses stored state only.
func TestQueuedForANodeWithGuests(t *testing.T) {
	w := newWorld(t)
	deadline := time.Now().Add(time.Hour)
	w.publish(t, deadline)
	w.QueueAway(someJob, map[string]jobevent.Absence{"m1": {Reason: engine.Queued, Path: "n1/n2"}}, map[string]jobevent.NodeState{"n1": jobevent.NodeUnreachable})
	for _, guests := range []jobevent.Expectation{{JID: someJob, Ours: true, Moved: true, Minions: []string{"g"}}, {JID: someJob, Ours: true, Partial: true, Minions: []string{"g"}}} {
		if w.QueueHeard("n1", guests); !w.WantsNode(someJob, "n1") {
			t.Errorf("taken over after %+v", guests)
		}
	}
	w.now = func() time.Time { return deadline.Add(time.Second) }
	if w.Tend(); !slices.Equal(w.calls, []string{engine.Expired + " [m1]"}) {
		t.Errorf("calls %q", w.calls)
	}
	for state, given := range map[string]bool{"": true, string(jobevent.NodeAnswered): false} {
		w := newWorld(t)
		w.nodes = map[string]nodecall.Answer{"n1": {}}
		w.publish(t, time.Now().Add(time.Hour))
		if _, err := w.store.Commit(t.Context(), returners.Batch{
			Loads:        []returners.Load{{JID: someJob, Raw: wire.Raw{0x80}, Own: true}},
			Expectations: []returners.Expectation{{JID: someJob, Node: "n1", Minions: []string{"g"}, State: state}},
		}); err != nil {
			t.Fatal(err)
		}
		if w.TakeUpQueues(t.Context()); w.WantsNode(someJob, "n1") != given {
			t.Errorf("with state %q in another life: wanted %v", state, !given)
		}
	}
	w = newWorld(t)
	w.publish(t, time.Now().Add(time.Hour))
	w.QueueAway(someJob, nil, map[string]jobevent.NodeState{"n1": jobevent.NodeUnreachable})
	if w.QueueHeard("n1", jobevent.Expectation{JID: someJob, Ours: true}); w.WantsNode(someJob, "n1") {
		t.Error("a node that has the job has not taken it over")
	}
}

// A queued job is listed and cancelled in the whole tree.
func TestQueued(t *testing.T) {
	w := newWorld(t)
	w.publish(t, time.Now().Add(time.Hour))
	w.Add(someJob, []string{"m1"}, nil)
	below, err := wire.Encode(wire.NewMap("known", true, "minions", []any{"m2"}))
	if err != nil {
		t.Fatal(err)
	}
	w.nodes = map[string]nodecall.Answer{"n1": {Value: below}, "n2": {Err: errors.New("away")}}
	if q, err := w.QueuedTree(t.Context(), w); err != nil || !q.Map(someJob).Map("Minions").Has("m1") {
		t.Errorf("queued are %v, %v", q, err)
	}
	minions, unreached, err := w.DequeueTree(t.Context(), w, someJob)
	if err != nil || !slices.Equal(minions, []string{"m1", "m2"}) || unreached["n2"] != "away" {
		t.Errorf("dequeued for %v, unreached %v, %v", minions, unreached, err)
	}
	if !slices.Equal(w.calls, []string{engine.Dequeued + " [m1]"}) {
		t.Errorf("calls %q", w.calls)
	}
	w.nodes = nil
	if _, _, err := w.DequeueTree(t.Context(), w, someJob); !errors.Is(err, retention.ErrNotQueued) {
		t.Errorf("a second time: %v", err)
	}
}
