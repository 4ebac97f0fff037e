package peers

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// conn is a connection.
type conn uint64

func (c conn) ID() uint64 { return uint64(c) }
func (conn) Trust()       {}
func (conn) Close()       {}

// fakeMaster is the master around a service. It records calls and publications.
type fakeMaster struct {
	*Service
	t     *testing.T
	dir   string
	at    time.Time
	tree  *topology.Tree
	calls []string
	sent  []string
	sure  func(jid string) // called with each publication
}

func newFakeMaster(t *testing.T) *fakeMaster {
	t.Helper()
	w := &fakeMaster{t: t, dir: t.TempDir(), at: time.Unix(1000, 0), tree: topology.NewTree(topology.Node{ID: "top"}, nil)}
	w.open()
	return w
}

// open starts the service again.
func (w *fakeMaster) open() {
	c := config.DefaultMaster()
	c.Cachedir, c.PresenceAsk, c.PresenceReconnect, c.Timeout, c.GatherJobTimeout = w.dir, true, 25*time.Second, 5*time.Second, 10*time.Second
	log := slog.New(slog.DiscardHandler)
	now := func() time.Time { return w.at }
	n := 0
	w.Service = New(Options{
		Config: c, Node: "top", User: "root", Registry: OpenRegistry(c, nil, log, now), Keys: ids{"m1", "n1"}, Tree: w.tree,
		Policy: policy{}, Claims: claims{}, Jobs: jobs{w}, Answers: jobs{w}, Publications: publications{w}, Keeps: true,
		Announced: func(presence.Announcement) {}, Secret: []byte("secret"), Signing: admission.NewTurns(1), Busy: func() bool { return false },
		JID:     func() string { n++; return fmt.Sprintf("%020d", n) },
		Fire:    func(tag string, _ *wire.Map) { w.calls = append(w.calls, tag) },
		Failing: func(what string, err error, _ ...any) { w.t.Errorf("%s: %v", what, err) }, Log: log, Now: now,
	})
}

// publications records what is sent.
type publications struct{ w *fakeMaster }

func (publications) Heard() presence.Before                                { return presence.Before{} }
func (publications) Missed(string, *wire.Map) (jids []string, _ *wire.Map) { return nil, nil }
func (publications) SendPeer(uint64, []byte) error                         { return nil }

func (p publications) SendMissed(conn uint64, id string, _ presence.Before) {
	p.w.calls = append(p.w.calls, fmt.Sprint("given ", conn, id))
}

func (p publications) Send(q wire.Publication, topics []string, to *zmtp.Choice) error {
	return p.w.publish(q, topics, to)
}

func (w *fakeMaster) publish(p wire.Publication, topics []string, to *zmtp.Choice) error {
	tgt, err := wire.Decode(p.Tgt)
	if to == nil {
		w.sent = append(w.sent, fmt.Sprintf("%s %v to all under %d topics", p.TgtType, tgt, len(topics)))
	} else {
		w.sent = append(w.sent, fmt.Sprintf("%s %v to %d", p.TgtType, tgt, len(to.IDs)))
	}
	if w.sure != nil {
		w.sure(p.JID)
	}
	return err
}

// want compares the calls since the last want.
func (w *fakeMaster) want(calls ...string) {
	w.t.Helper()
	if !slices.Equal(w.calls, calls) {
		w.t.Errorf("calls %q, want %q", w.calls, calls)
	}
	w.calls = nil
}

// announce connects a peer of mom.
func (w *fakeMaster) announce(c conn, role, id string, running ...string) {
	w.t.Helper()
	w.Subscribed(c, id+fmt.Sprint(c))
	if _, err := w.Announce(presence.Announcement{ID: id, Session: id + fmt.Sprint(c), Role: role, Version: "1", Running: running}); err != nil {
		w.t.Fatal(err)
	}
}

type ids []string

func (x ids) List(keys.State) []string { return x }

type policy struct{}

func (policy) IsMinion(id string) bool { return id[0] != 'n' }
func (policy) Join(string) error       { return nil }
func (policy) ActsAsMinion(string)     {}

type claims struct{}

func (claims) Report(topology.Node)                 {}
func (claims) Change(topology.Node, topology.Delta) {}

// jobs records calls.
type jobs struct{ w *fakeMaster }

func (j jobs) record(what string, about ...any) {
	j.w.calls = append(j.w.calls, what+" "+strings.TrimSpace(fmt.Sprintln(about...)))
}

func (j jobs) MinionUp(id string, running map[string]bool) { j.record("up", id, len(running)) }
func (j jobs) MinionDown(id string, wait time.Duration)    { j.record("down", id, wait) }
func (j jobs) StockUp(id string)                           { j.record("stock up", id) }
func (j jobs) NodeUp(id string)                            { j.record("node up", id) }
func (j jobs) NodeDown(id string)                          { j.record("node down", id) }
func (j jobs) Declined(jid, id string, data ...string)     { j.record("declined", jid, id, data) }
func (j jobs) Found(jid, id string, running bool)          { j.record("found", jid, id, running) }
