package presence

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/master/engine"
)

type conn struct {
	id      uint64
	closed  bool
	trusted bool
}

func (c *conn) ID() uint64 { return c.id }
func (c *conn) Trust()     { c.trusted = true }
func (c *conn) Close()     { c.closed = true }

// fixture is a registry with recorded hooks and a settable clock.
type fixture struct {
	*Registry
	t     *testing.T
	at    time.Time
	hooks []string
	next  uint64
}

func newFixture(t *testing.T, known ...Peer) *fixture {
	w := &fixture{t: t, at: time.Unix(1000, 0)}
	w.Registry = New(Config{
		Known: known, Now: func() time.Time { return w.at },
	})
	w.Begin(w)
	return w
}

func (w *fixture) PeerUp(a Announcement) { w.hooks = append(w.hooks, "up "+a.ID) }
func (w *fixture) PeerDown(p Peer)       { w.hooks = append(w.hooks, "down "+p.ID) }

func (w *fixture) subscribe(text string) *conn {
	w.next++
	c := &conn{id: w.next}
	w.Subscribed(c, text)
	return c
}

func (w *fixture) announce(id, session string) bool {
	w.t.Helper()
	ok, err := w.Announce(Announcement{ID: id, Session: session, Role: Minion, Version: "1"})
	if err != nil {
		w.t.Fatal(err)
	}
	return ok
}

func (w *fixture) want(live engine.Liveness, hooks ...string) {
	w.t.Helper()
	if got, _ := w.Announced("m"); got != live {
		w.t.Errorf("m is %v, want %v", got, live)
	}
	if !slices.Equal(w.hooks, hooks) {
		w.t.Errorf("hooks saw %v, want %v", w.hooks, hooks)
	}
	w.hooks = nil
}

func TestPresence(t *testing.T) {
	w := newFixture(t)
	w.want(engine.Untracked)
	c := w.subscribe("s1")
	w.want(engine.Untracked)
	if !w.announce("m", "s1") {
		t.Error("not connected, but its subscription is open")
	}
	w.want(engine.Up, "up m")
	w.announce("m", "s1") // it may run other jobs now
	w.want(engine.Up, "up m")
	w.Closed(c.id)
	w.want(engine.Away, "down m")
	if live, left := w.Announced("m"); live != engine.Away || left != 5*time.Second {
		t.Errorf("%v, %v left", live, left)
	}
	w.at = w.at.Add(6 * time.Second)
	w.want(engine.Down)
	w.SignedIn("m") // anybody who has its public key can
	w.want(engine.Down)
	w.Forget("m")
	w.want(engine.Untracked)
}

// TestRuns checks that the last announcement of a connected minion counts.
func TestRuns(t *testing.T) {
	w := newFixture(t)
	runs := func(session string, jids ...string) {
		t.Helper()
		if _, err := w.Announce(Announcement{ID: "m", Session: session, Role: Minion, Version: "1", Running: jids}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(first, second bool) {
		t.Helper()
		if a, b := w.Runs("m", "1"), w.Runs("m", "2"); a != first || b != second {
			t.Errorf("runs 1: %v, 2: %v; want %v, %v", a, b, first, second)
		}
	}
	want(false, false)
	c := w.subscribe("s1")
	runs("s1", "1", "2")
	want(true, true)
	runs("s1", "2")
	want(false, true)
	w.Closed(c.id)
	want(false, false)
	w.subscribe("s2")
	runs("s2", "1")
	want(true, false)
}

func TestAnnouncedBeforeSubscribed(t *testing.T) {
	w := newFixture(t)
	if w.announce("m", "s1") {
		t.Error("connected without a subscription")
	}
	w.want(engine.Untracked)
	w.subscribe("s1")
	w.want(engine.Up, "up m")
}

// A stranger who subscribes under the id, or even the session, of another can neither
// impersonate it nor make it look disconnected.
func TestStranger(t *testing.T) {
	w := newFixture(t)
	byID := w.subscribe("m")
	w.subscribe("s1")
	w.announce("m", "s1")
	w.want(engine.Up, "up m")
	w.Closed(byID.id)
	spy := w.subscribe("s1")
	w.want(engine.Up)
	w.Closed(spy.id)
	w.want(engine.Up)
	if _, err := w.Announce(Announcement{ID: "other", Session: "s1", Role: Minion}); err == nil {
		t.Error("announced the session of another")
	}
}

// The new connection of a session may open before the end of the old one is noticed.
func TestReconnect(t *testing.T) {
	w := newFixture(t)
	old := w.subscribe("s1")
	w.announce("m", "s1")
	again := w.subscribe("s1")
	w.Closed(old.id)
	w.want(engine.Up, "up m")
	w.Closed(again.id)
	w.want(engine.Away, "down m")
	w.subscribe("s1") // forgotten with its last connection
	w.want(engine.Away)
	w.announce("m", "s1")
	w.want(engine.Up, "up m")
}

func TestSessionReplaced(t *testing.T) {
	w := newFixture(t)
	first := w.subscribe("s1")
	w.announce("m", "s1")
	second := w.subscribe("s2")
	w.announce("m", "s2")
	w.Closed(first.id)
	w.want(engine.Up, "up m", "up m")
	if w.Connected() != 1 {
		t.Errorf("%d connected", w.Connected())
	}
	w.Closed(second.id)
	w.want(engine.Away, "down m")
	if w.Connected() != 0 {
		t.Errorf("%d connected", w.Connected())
	}
}

// After a start, peers of the previous process are returning, but not those that came and left.
func TestReturning(t *testing.T) {
	w := newFixture(t, Peer{ID: "m", Role: Minion, Up: true})
	if !w.Returning("m") || w.Returning("stranger") {
		t.Error("peers of the previous process return, and no others")
	}
	c := w.subscribe("s1")
	w.announce("m", "s1")
	if w.Returning("m") {
		t.Error("returning while connected")
	}
	w.Closed(c.id)
	if w.Returning("m") {
		t.Error("returning after it came and left")
	}
	w = newFixture(t, Peer{ID: "m", Role: Minion, Up: true})
	for _, c := range []struct {
		after time.Duration
		back  bool
	}{{0, true}, {4 * time.Second, true}, {time.Second, false}, {time.Hour, false}} {
		if w.at = w.at.Add(c.after); w.Returning("m") != c.back {
			t.Errorf("%s after the start: %v", w.at.Sub(time.Unix(1000, 0)), !c.back)
		}
	}
}

func TestGraceAfterAStart(t *testing.T) {
	w := newFixture(t, Peer{ID: "m", Role: Minion, Up: true})
	if live, left := w.Announced("m"); live != engine.Away || left != 15*time.Second {
		t.Errorf("%v, %v left", live, left)
	}
	w.at = w.at.Add(16 * time.Second)
	w.want(engine.Down)
	if w.TakeChanged() {
		t.Error("nothing has changed")
	}
	w.subscribe("s1")
	w.announce("m", "s1")
	if !w.TakeChanged() || w.TakeChanged() {
		t.Error("one change")
	}
	w.MarkChanged() // it could not be written
	if !w.TakeChanged() || w.TakeChanged() {
		t.Error("the change was put back")
	}
}

func TestRevoke(t *testing.T) {
	w := newFixture(t)
	c := w.subscribe("s1")
	w.announce("m", "s1")
	w.announce("m", "s2") // waits
	w.Revoke("m")
	w.want(engine.Untracked, "up m", "down m")
	if !c.closed {
		t.Error("its connection is still open")
	}
	w.Closed(c.id)
	if w.unclaimed != 0 || len(w.sessions)+len(w.waiting)+len(w.byConn)+len(w.peers) != 0 {
		t.Errorf("left are %d %v %v %v", w.unclaimed, w.sessions, w.waiting, w.byConn)
	}
	w.Revoke("nobody")
}

// Neither subscriptions of strangers nor announcements of one minion accumulate.
func TestBounds(t *testing.T) {
	w := newFixture(t)
	for i := range 1000 {
		w.announce("m", fmt.Sprint("waiting", i))
		c := w.subscribe(fmt.Sprint("bound", i))
		w.announce("m", fmt.Sprint("bound", i))
		w.Closed(c.id)
	}
	if len(w.sessions) != 1 || w.unclaimed != 1 {
		t.Errorf("%d sessions, %d unclaimed, want one that waits", len(w.sessions), w.unclaimed)
	}
	var last *conn
	for i := range maxUnclaimed + 10 {
		last = w.subscribe(fmt.Sprint("stranger", i))
	}
	if w.unclaimed != maxUnclaimed {
		t.Errorf("%d unclaimed", w.unclaimed)
	}
	if _, err := w.Announce(Announcement{ID: "late", Session: "x", Role: Minion}); err == nil {
		t.Error("announced beyond the bound")
	}
	w.Closed(last.id)
	for i := range uint64(maxUnclaimed) {
		w.Closed(1001 + i)
	}
	if w.announce("late", "x") {
		t.Error("connected without a subscription")
	}
}

func TestBadAnnouncements(t *testing.T) {
	w := newFixture(t)
	for _, a := range []Announcement{
		{Session: "s", Role: Minion},
		{ID: "m", Role: Minion},
		{ID: "m", Session: "s", Role: "king"},
		{ID: "m", Session: string(make([]byte, 256)), Role: Minion},
	} {
		if _, err := w.Announce(a); err == nil {
			t.Errorf("%+v was accepted", a)
		}
	}
}

// lastChanges holds the last change of each peer. The registry reports one at a time.
type lastChanges map[string]bool

func (l lastChanges) PeerUp(a Announcement) { l[a.ID] = true }
func (l lastChanges) PeerDown(p Peer)       { l[p.ID] = false }

// Hooks run in the order of the changes, so the last call gives the current state.
func TestHooksInOrder(t *testing.T) {
	last := lastChanges{}
	r := New(Config{})
	r.Begin(last)
	var wg sync.WaitGroup
	for i := range uint64(8) {
		wg.Go(func() {
			for n := range uint64(200) {
				c := &conn{id: n*8 + i + 1}
				text := fmt.Sprint("s", c.id)
				r.Subscribed(c, text)
				if _, err := r.Announce(Announcement{ID: "m", Session: text, Role: Minion}); err != nil {
					t.Error(err)
				}
				if n%3 != 0 || i != 0 {
					r.Closed(c.id)
				}
			}
		})
	}
	wg.Wait()
	live, _ := r.Announced("m")
	if up := live == engine.Up; up != last["m"] || !up {
		t.Errorf("up is %v, the last hook said %v", up, last["m"])
	}
	if got := r.Peers(); len(got) != 1 || got[0].ID != "m" || !r.Announces(Minion, "m") || r.Announces(Syndic, "m") || r.Announces(Minion, "x") {
		t.Errorf("peers %v", got)
	}
}

// Peers that did not come back after a start are reported once, after StartGrace.
func TestLost(t *testing.T) {
	w := newFixture(t, Peer{ID: "m", Role: Minion}, Peer{ID: "n", Role: Syndic})
	w.subscribe("s1")
	w.announce("m", "s1")
	if got := w.Lost(); got != nil {
		t.Errorf("lost at once: %v", got)
	}
	w.at = w.at.Add(15 * time.Second)
	if got := w.Lost(); len(got) != 1 || got[0].ID != "n" || got[0].Role != Syndic {
		t.Errorf("lost are %v", got)
	}
	if got := w.Lost(); got != nil {
		t.Errorf("lost again: %v", got)
	}
}

// A connection is trusted as soon as its peer is known: by its announcement, before or after
// it opens, or by an answer. Until then it is a stranger's.
func TestTrust(t *testing.T) {
	w := newFixture(t)
	w.cfg.Asks = true
	first := w.subscribe("s")
	stock := &conn{id: 100}
	w.Opened(stock, Before{})
	if first.trusted || stock.trusted {
		t.Error("strangers are trusted")
	}
	w.announce("m", "s")
	second := w.subscribe("s") // the end of the first is not noticed yet
	w.Named(stock.id, "s1")
	if !first.trusted || !second.trusted || !stock.trusted {
		t.Errorf("announced %t, again %t, named by its answer %t", first.trusted, second.trusted, stock.trusted)
	}
}
