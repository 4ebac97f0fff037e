package master

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// gatedStore is an embedded store that a test can block or make fail.
type gatedStore struct {
	returners.JobStore
	mu   sync.Mutex
	fail error
	hold chan struct{} // commits block until it is closed
	here chan struct{} // receives a value for each commit that has begun
	word bool          // block commits of job reports, not of returns
}

func (s *gatedStore) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	s.mu.Lock()
	fail, hold := s.fail, s.hold
	s.mu.Unlock()
	if s.word != (len(b.Expectations) > 0 && len(b.Loads) == 0) || !s.word && len(b.Returns) == 0 {
		return s.JobStore.Commit(ctx, b)
	}
	select {
	case s.here <- struct{}{}:
	default:
	}
	if hold != nil {
		<-hold
	}
	if fail != nil {
		return returners.Result{}, fail
	}
	return s.JobStore.Commit(ctx, b)
}

func (s *gatedStore) set(fail error, hold chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail, s.hold = fail, hold
}

func newGated(r *rig) *gatedStore {
	g := &gatedStore{here: make(chan struct{}, 1024)}
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { g.JobStore = s; return g }
	return g
}

const (
	someJob  = "20240102030405678901"
	otherJob = "20240102030405678902"
)

// Acknowledgement, event and account follow the commit.
func TestReturnIsCommittedBeforeItIsAcknowledged(t *testing.T) {
	r := newRig(t)
	store := newGated(r)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	hold := make(chan struct{})
	store.set(nil, hold)
	var acked atomic.Bool
	done := make(chan error, 1)
	go func() {
		err := m.answer(someJob, "x")
		acked.Store(true)
		done <- err
	}()
	<-store.here
	if acked.Load() || len(events.tags()) != 0 {
		t.Errorf("acknowledged %v, events %v before the commit", acked.Load(), events.tags())
	}
	close(hold)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	d := events.take("salt/job/" + someJob + "/ret/m1")
	if d.String("return") != "x" || d.String("cmd") != "_return" || d.Has("tok") || d.Has("nonce") {
		t.Errorf("event %v", plain(t, d))
	}
}

func TestRepeatedReturn(t *testing.T) {
	r := newRig(t)
	r.opts.Parent = "parent"
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	for range 3 {
		if err := m.answer(someJob, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.answer(someJob, false); err != nil { // the first stays
		t.Fatal(err)
	}
	events.take("salt/job/" + someJob + "/ret/m1")
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("more events %v", tags)
	}
	if s := r.Stats(); s.Returns != 1 || s.Repeated != 3 {
		t.Errorf("%+v", s)
	}
	rets, err := r.store.Local().GetReturns(t.Context(), someJob)
	if err != nil || len(rets) != 1 || !wire.Truth(rets[0].Value) {
		t.Errorf("stored %v, %v", rets, err)
	}
	if n, _, err := r.store.Outbox().OutboxDepth(t.Context(), "parent"); n != 1 || err != nil {
		t.Errorf("pending %d, %v", n, err)
	}
}

// The disk is full or another error occurs: nothing is acknowledged, no event is fired, and the
// return is accepted once there is room.
func TestReturnThatCannotBeStored(t *testing.T) {
	for fail, want := range map[error]error{
		fmt.Errorf("write: %w", returners.ErrFull): channel.ErrNotNow, fmt.Errorf("write: %w", returners.ErrCorrupt): channel.ErrNotNow,
		errors.New("odd"): channel.ErrFailed, // this return may be the cause
	} {
		r := newRig(t, ordersMasters)
		store := newGated(r)
		r.start()
		m := r.minion("m1", "minion", "minion")
		node := r.minion("n1", "syndic", "syndic")
		events := r.events()
		store.set(fail, nil)
		if err := m.answer(someJob, true); !errors.Is(err, want) {
			t.Errorf("%v: the minion receives %v", fail, err)
		}
		if _, err := node.send(syndicReturn("n1", someJob, "below")); !errors.Is(err, want) {
			t.Errorf("%v: the node receives %v", fail, err)
		}
		for _, tag := range events.tags() {
			if strings.Contains(tag, "/ret/") {
				t.Errorf("%v: event %s", fail, tag)
			}
		}
		store.set(nil, nil)
		if err := m.answer(someJob, true); err != nil {
			t.Error(err)
		}
		events.take("salt/job/" + someJob + "/ret/m1")
	}
}

// Invalid returns and returns in another's name are refused.
func TestReturnsRefused(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	r.minion("m2", "minion", "minion2")
	events := r.events()
	for what, load := range map[string]*wire.Map{
		"no return":      wire.NewMap("cmd", "_return", "id", "m1", "jid", "req"), // of a job, it would end that job
		"no jid":         wire.NewMap("cmd", "_return", "id", "m1", "return", true),
		"a path as jid":  returnOf("m1", someJob+"/ret/m2", true),
		"a word as jid":  returnOf("m1", "x", true),
		"another's name": returnOf("m2", someJob, true), // the channel sets its own id
	} {
		v, err := m.send(load)
		if what == "another's name" {
			if d := events.take("salt/job/" + someJob + "/ret/m1"); err != nil || d.String("id") != "m1" {
				t.Errorf("%s: %v %v", what, v, err)
			}
			continue
		}
		if err != nil || v != "" {
			t.Errorf("%s: %v, %v", what, v, err)
		}
	}
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("events %v", tags)
	}
}

// salt-call and schedules leave the jid to the master, which also creates the job.
func TestReturnWithoutJob(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	events := r.events()
	for range 2 {
		if err := m.answer("req", "x"); err != nil {
			t.Fatal(err)
		}
		e := <-events.sub.C()
		d, err := wire.DecodeMap(e.Data)
		if err != nil || !jid.Valid(d.String("jid")) || e.Tag != "salt/job/"+d.String("jid")+"/ret/m1" || d.String("tgt") != "m1" {
			t.Fatalf("event %s %v, %v", e.Tag, plain(t, d), err)
		}
		if _, ok, err := r.store.Local().GetLoad(t.Context(), d.String("jid")); !ok || err != nil {
			t.Errorf("no load, %v", err)
		}
	}
	if s := r.Stats(); s.Returns != 2 {
		t.Errorf("%+v", s)
	}
}

func TestSignedReturns(t *testing.T) {
	signs := func(c *channel.Config) { c.MinionSignMessages = true }
	for _, c := range []struct {
		require, drop bool
		sign, forge   bool
		stored        bool
	}{
		{false, false, false, false, true},
		{false, false, true, false, true},
		{true, true, true, false, true},
		{true, false, false, false, false},
		{false, true, true, true, false},
		{false, false, true, true, true},
	} {
		r := newRig(t, func(m *config.Master) { m.RequireMinionSignMessages, m.DropMessagesSignatureFail = c.require, c.drop })
		r.start()
		var opts []func(*channel.Config)
		if c.sign && !c.forge {
			opts = append(opts, signs)
		}
		m := r.minion("m1", "minion", "minion", opts...)
		var err error
		if c.forge {
			load := returnOf("m1", someJob, true)
			load.Set("sig", bytes.Repeat([]byte{7}, 256))
			_, err = m.send(load)
		} else {
			err = m.answer(someJob, true)
		}
		rets, errRead := r.store.Local().GetReturns(t.Context(), someJob)
		// A dropped return ends its job with an error.
		if err != nil || errRead != nil || len(rets) != 1 || rets[0].Success != c.stored || wire.IsErrorReturn(rets[0].Full) == c.stored {
			t.Errorf("%+v: %v, stored %+v", c, err, rets)
		}
		r.stop()
	}
}

// A large return over a new connection, as Python minions open for each request: it is accepted
// because earlier requests came from that address.
func TestLargeReturnOverAFreshConnection(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	m.must(wire.NewMap("cmd", "_master_opts", "env_only", true))
	value := strings.Repeat("x", 20<<20)
	fresh := r.stranger("m1", "minion", "minion")
	defer fresh.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	body := sealedReturn(t, r, m, value)
	req := zmtp.NewReq(m.Addr(), zmtp.DialConfig{Log: quiet})
	defer req.Close()
	reply, err := req.Do(ctx, body)
	if err != nil {
		t.Fatal(err)
	}
	key, err := r.keys.Sessions.Current("m1")
	if err != nil {
		t.Fatal(err)
	}
	frame, err := wire.Bytes(reply)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := key.OpenNonce(frame, strings.Repeat("0", 32)); err != nil || !wire.IsNil(v) {
		t.Errorf("acknowledged by %q, %v", v, err)
	}
	rets, err := r.store.Local().GetReturns(t.Context(), someJob)
	if err != nil || len(rets) != 1 || len(rets[0].Value) < len(value) {
		t.Errorf("stored %d, %v", len(rets), err)
	}
	if b := r.Stats().Router.UntrustedBytes; b != 0 {
		t.Errorf("the budget still holds %d", b)
	}
}

// sealedReturn encodes a return by hand.
func sealedReturn(t *testing.T, r *rig, m *minion, value any) []byte {
	t.Helper()
	key, err := r.keys.Sessions.Current(m.id)
	if err != nil {
		t.Fatal(err)
	}
	load := returnOf(m.id, someJob, value)
	load.Set("nonce", strings.Repeat("0", 32))
	load.Set("ts", r.now().Unix())
	load.Set("tok", tokOf(t, "minion"))
	raw, err := wire.Encode(load)
	if err != nil {
		t.Fatal(err)
	}
	cipher, err := key.Seal("", raw)
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "aes", Cipher: cipher, Version: 3, ID: m.id}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A panic in a handler affects its own request only.
func TestPanickingHandler(t *testing.T) {
	r := newRig(t, ordersMasters).open()
	r.server.Add(server.Command{Name: "boom", Who: server.Peer, Doc: "Panics."}, func(context.Context, *server.Request) (any, error) { panic("boom") })
	r.serve()
	m := r.minion("m1", "minion", "minion")
	if _, err := m.send(wire.NewMap("cmd", "boom")); !errors.Is(err, channel.ErrFailed) {
		t.Errorf("got %v", err)
	}
	if err := m.answer(someJob, true); err != nil {
		t.Error(err)
	}
	if n := r.Stats().Panics; n == 0 {
		t.Error("it was not counted")
	}
}

// syndicReturn returns what a node sends for one job.
func syndicReturn(node, jid string, ids ...string) *wire.Map {
	rets := wire.NewMap()
	for _, id := range ids {
		rets.Set(id, wire.NewMap("return", "of "+id, "retcode", 0, "success", true, "fun_args", []any{}))
	}
	entry := wire.NewMap("id", node, "jid", jid, "fun", "test.ping", "arg", nil, "tgt", nil, "tgt_type", nil,
		"load", wire.NewMap("jid", jid, "fun", "test.ping"), "return", rets)
	return wire.NewMap("cmd", "_syndic_return", "load", []any{entry})
}

func TestSyndicReturn(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.opts.Parent = returners.DestAbove // this master is a middle tier
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	events := r.events()
	if v := node.must(syndicReturn("n1", someJob, "a", "b")); v != nil {
		t.Errorf("answered by %v", v)
	}
	d := events.take("salt/job/" + someJob + "/ret/a")
	want := map[string]any{
		"jid": someJob, "id": "a", "return": "of a", "retcode": 0.0, "success": true, "fun_args": []any{}, "fun": "test.ping",
	}
	if diff := cmp.Diff(want, plain(t, d)); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	events.take("salt/job/" + someJob + "/ret/b")
	if !r.policy.IsNode("n1") {
		t.Error("n1 is not known as a node")
	}
	node.must(syndicReturn("n1", someJob, "a", "b"))
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("the repeat fired %v", tags)
	}
	rets, err := r.store.Local().GetReturns(t.Context(), someJob)
	if err != nil || len(rets) != 2 || rets[0].Via != "n1" {
		t.Errorf("stored %v, %v", rets, err)
	}
	if l, ok, err := r.store.Local().GetLoad(t.Context(), someJob); !ok || err != nil || !strings.Contains(string(l.Raw), "test.ping") {
		t.Errorf("load %q, %v", l.Raw, err)
	}
	if n, _, err := r.store.Outbox().OutboxDepth(t.Context(), returners.DestAbove); n != 2 || err != nil {
		t.Errorf("pending %d, %v", n, err)
	}
}

// Invalid entries of a node's request are skipped; the others count.
func TestSyndicReturnsRefused(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	own := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	node.must(syndicReturn("n1", someJob, "m1", "../x", "below"))
	events.take("salt/job/" + someJob + "/ret/below")
	node.must(syndicReturn("n1", "x/y", "below"))
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("events %v", tags)
	}
	// A minion connected as such is not a node.
	if v, err := own.send(syndicReturn("m1", someJob, "victim")); err != nil || v != "" {
		t.Errorf("a minion's returns for others: %v, %v", v, err)
	}
	if r.policy.IsNode("m1") || len(events.tags()) != 0 {
		t.Errorf("m1 became a node, or fired %v", events.tags())
	}
	own.mute()
	eventually(t, "m1 gone", func() bool { return !r.policy.Connected("m1") })
	node.must(syndicReturn("n1", someJob, "m1")) // the minion has moved below the node
	events.take("salt/job/" + someJob + "/ret/m1")
}
