package master

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// clock is a time set by a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// goldenPair returns the key pair with this name in keys.json.
func goldenPair(t testing.TB, name string) (private, public string) {
	t.Helper()
	k, ok := readVectors[map[string]struct {
		Private string `json:"private_pem"`
		Public  string `json:"public_pem"`
	}](t, "keys.json")[name]
	if !ok {
		t.Fatalf("no golden key %q", name)
	}
	return k.Private, k.Public
}

// rootKey is the key of the master's own user in every rig.
const rootKey = "the key of root"

// rig is a master under test with its directories.
type rig struct {
	*Master
	t       testing.TB
	dir     string
	cfg     *config.Master
	opts    Options
	pub     int // ports
	ret     int
	req     *zmtp.Req
	running chan error
	cancel  context.CancelFunc
}

// ordersMasters lets peers become nodes by acting as syndics.
func ordersMasters(c *config.Master) { c.OrderMasters = true }

// newRig prepares a master without starting it. Its directories have a short path, because the
// names of local sockets are limited.
func newRig(t testing.TB, change ...func(*config.Master)) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "mm")
	if err != nil {
		t.Fatal(err)
	}
	c := config.DefaultMaster()
	c.ID, c.Interface, c.PublishPort, c.RetPort = "top", "127.0.0.1", 0, 0
	c.PkiDir, c.Cachedir, c.SockDir = filepath.Join(dir, "pki"), filepath.Join(dir, "cache"), filepath.Join(dir, "run")
	c.SyndicDir, c.JobStoreFile = filepath.Join(dir, "cache", "syndics"), filepath.Join(dir, "jobs.db")
	c.User, c.LogLevel = "root", "quiet"
	c.FileRoots = map[string]any{"base": []any{filepath.Join(dir, "srv")}}
	for _, f := range change {
		f(c)
	}
	r := &rig{t: t, dir: dir, cfg: c, opts: Options{Config: c, Version: "test", Log: quiet}}
	private, public := goldenPair(t, "master")
	r.file("pki/master.pem", private, 0o400)
	r.file("pki/master.pub", public, 0o644)
	t.Cleanup(func() {
		r.stop()
		_ = os.RemoveAll(dir)
	})
	return r
}

// file writes a file below the rig's directory.
func (r *rig) file(name, content string, mode os.FileMode) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		r.t.Fatal(err)
	}
}

// accept accepts the golden key of that name for id.
func (r *rig) accept(id, key string) {
	r.t.Helper()
	_, public := goldenPair(r.t, key)
	r.file("pki/minions/"+id, public, 0o644)
}

// admit allows nodes to be homes for others, as an operator does.
func (r *rig) admit(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		if _, err := admitted.Admit(r.cfg.PkiDir, id); err != nil {
			r.t.Fatal(err)
		}
		if r.Master != nil {
			eventually(r.t, id+" admitted", func() bool { return r.policy.Roles().Admitted(id) })
		}
	}
}

// open creates the master; requests wait until serve.
func (r *rig) open() *rig {
	r.t.Helper()
	if now := r.opts.Now; now != nil && r.opts.running == nil { // ages follow the time of the test
		began := now()
		r.opts.running = func() time.Duration { return now().Sub(began) }
	}
	m, err := New(r.opts)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Master = m
	m.access.Users = access.Users{"root": rootKey}
	r.pub, r.ret = m.Ports()
	r.req = zmtp.NewReq(fmt.Sprintf("127.0.0.1:%d", r.ret), zmtp.DialConfig{Log: quiet})
	return r
}

func (r *rig) serve() *rig {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.running = cancel, make(chan error, 1)
	go func() { r.running <- r.Run(ctx) }()
	<-r.server.Opened()
	return r
}

// start opens and serves.
func (r *rig) start() *rig { r.t.Helper(); return r.open().serve() }

// stop stops the master if it runs.
func (r *rig) stop() {
	r.t.Helper()
	if r.Master == nil {
		return
	}
	_ = r.req.Close()
	var err error
	if r.cancel == nil {
		err = r.Close()
	} else {
		r.cancel()
		err = <-r.running
	}
	if err != nil {
		r.t.Errorf("the master ended with %v", err)
	}
	r.Master, r.cancel = nil, nil
}

// restart stops the master and starts another one on the same ports, so that peers reconnect.
func (r *rig) restart() {
	r.t.Helper()
	r.cfg.PublishPort, r.cfg.RetPort = r.pub, r.ret
	r.stop()
	r.start()
}

// ask sends a raw request and returns the reply.
func (r *rig) ask(body []byte) []byte {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply, err := r.req.Do(ctx, body)
	if err != nil {
		r.t.Fatalf("request: %v", err)
	}
	return reply
}

// say sends a clear command and returns the decoded reply.
func (r *rig) say(load *wire.Map) *wire.Map {
	r.t.Helper()
	m, err := wire.DecodeMap(r.ask(r.clear(load)))
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// clear encodes a clear command.
func (r *rig) clear(load *wire.Map) []byte {
	r.t.Helper()
	raw, err := wire.Encode(load)
	if err != nil {
		r.t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "clear", Load: raw, Version: 3}.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	return body
}

// testJob returns a clear publish of test.ping with the right key.
func testJob(tgt any, tgtType string, more ...any) *wire.Map {
	m := wire.NewMap("cmd", "publish", "tgt", tgt, "fun", "test.ping", "arg", []any{}, "key", rootKey,
		"tgt_type", tgtType, "ret", "", "jid", "", "user", "root")
	for i := 0; i < len(more); i += 2 {
		m.Set(more[i], more[i+1])
	}
	return m
}

// notes returns the jobs with a note of this kind in the job store.
func (r *rig) notes(kind string) (jids []string) {
	r.t.Helper()
	if err := returners.EachNote(context.Background(), r.store, kind, func(n returners.Note) { jids = append(jids, n.JID) }); err != nil {
		r.t.Fatal(err)
	}
	return jids
}

// closed reports whether no account of a job is open.
func (r *rig) closed(jid string) bool {
	a, ok := r.jobs.State(jid)
	return !ok || !a.Open()
}

// events records the events fired from now on.
func (r *rig) events() *recorder {
	rec := &recorder{t: r.t, sub: r.bus.Subscribe(bus.SubscribeOptions{Size: 65536})}
	r.t.Cleanup(rec.sub.Close)
	return rec
}

type recorder struct {
	t    testing.TB
	sub  *bus.Subscription
	seen []bus.Event
}

// take waits for the next event with a tag, including those skipped before.
func (r *recorder) take(tag string) *wire.Map {
	r.t.Helper()
	return r.find("event "+tag, func(e bus.Event) bool { return e.Tag == tag })
}

func (r *recorder) find(what string, ok func(bus.Event) bool) *wire.Map {
	r.t.Helper()
	deadline := time.After(patience)
	for i := 0; ; i++ {
		for i >= len(r.seen) {
			select {
			case e := <-r.sub.C():
				r.seen = append(r.seen, e)
			case <-deadline:
				r.t.Fatalf("no %s; there were %v", what, r.tags())
			}
		}
		if ok(r.seen[i]) {
			e := r.seen[i]
			r.seen = append(r.seen[:i:i], r.seen[i+1:]...)
			m, err := wire.DecodeMap(e.Data)
			if err != nil {
				r.t.Fatalf("event %s: %v", e.Tag, err)
			}
			return m
		}
	}
}

// rest returns the events fired so far and not taken, except reports of refused requests.
func (r *recorder) rest() []bus.Event {
	for {
		select {
		case e := <-r.sub.C():
			r.seen = append(r.seen, e)
		default:
			return slices.DeleteFunc(slices.Clone(r.seen), func(e bus.Event) bool { return e.Tag == "topology/refused" || e.Tag == access.AuditTag })
		}
	}
}

func (r *recorder) tags() []string {
	var out []string
	for _, e := range r.rest() {
		out = append(out, e.Tag)
	}
	return out
}

// minion is the minion's side: a real channel, and a subscription if it listens.
type minion struct {
	*channel.Channel
	t     testing.TB
	rig   *rig
	id    string
	heard chan wire.Publication
	stop  context.CancelFunc
	done  chan struct{}
}

// minion returns an accepted and signed-in minion, or a node by role.
func (r *rig) minion(id, role, key string, change ...func(*channel.Config)) *minion {
	r.t.Helper()
	r.accept(id, key)
	m := r.stranger(id, role, key, change...)
	eventually(r.t, "the key of "+id+" seen", func() bool { return r.keys.Accepted(id) })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := m.SignIn(ctx); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// stranger returns a minion that has not signed in.
func (r *rig) stranger(id, role, key string, change ...func(*channel.Config)) *minion {
	r.t.Helper()
	private, public := goldenPair(r.t, key)
	pki := filepath.Join("peers", id)
	r.file(pki+"/minion.pem", private, 0o400)
	r.file(pki+"/minion.pub", public, 0o644)
	c := channel.Config{
		ID: id, Role: role, PkiDir: filepath.Join(r.dir, pki), Host: "127.0.0.1", Port: r.ret, Log: quiet,
		Dial: zmtp.DialConfig{BackoffMin: 5 * time.Millisecond, BackoffMax: 50 * time.Millisecond, Log: quiet}, AuthTimeout: patience, ReturnTries: 1,
		ReturnTimeout: patience, ReturnTimeoutMax: patience,
	}
	if r.opts.Now != nil {
		c.Now = r.opts.Now
	}
	for _, f := range change {
		f(&c)
	}
	ch, err := channel.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	m := &minion{Channel: ch, t: r.t, rig: r, id: id}
	r.t.Cleanup(func() {
		m.mute()
		_ = ch.Close()
	})
	return m
}

// listen subscribes and waits until the master knows the subscription and, from an announcement,
// the minion behind it.
func (m *minion) listen(topics ...string) *minion {
	m.t.Helper()
	if len(topics) == 0 {
		topics = []string{""}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.stop, m.done, m.heard = cancel, make(chan struct{}), make(chan wire.Publication, 1024)
	before := m.rig.stats.Subscribed.Load()
	sub := zmtp.NewSub(fmt.Sprintf("127.0.0.1:%d", m.rig.pub), zmtp.DialConfig{
		Identity: m.Session(), BackoffMin: 5 * time.Millisecond, BackoffMax: 50 * time.Millisecond, Log: quiet,
	}, topics)
	go func() {
		defer close(m.done)
		_ = sub.Run(ctx, func(frames [][]byte) {
			p, err := m.OpenPublication(ctx, frames[len(frames)-1])
			if err == nil {
				m.heard <- p
			}
		})
	}()
	eventually(m.t, m.id+" subscribed", func() bool { return m.rig.stats.Subscribed.Load() >= before+uint64(len(topics)) })
	return m
}

// announce announces the subscription until the master has bound it.
func (m *minion) announce(running ...string) *minion {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	eventually(m.t, m.id+" announced", func() bool {
		reply, known, err := m.Announce(ctx, channel.Presence{Version: "test", Running: running})
		if err != nil || !known {
			m.t.Fatalf("announce %s: known %v, %v", m.id, known, err)
		}
		return reply.Bool("session")
	})
	return m
}

// mute ends the subscription.
func (m *minion) mute() {
	if m.stop != nil {
		m.stop()
		<-m.done
		m.stop = nil
	}
}

// hear waits for the next publication.
func (m *minion) hear() wire.Publication {
	m.t.Helper()
	select {
	case p := <-m.heard:
		return p
	case <-time.After(patience):
		m.t.Fatalf("%s hears nothing", m.id)
	}
	return wire.Publication{}
}

// send sends an encrypted request and returns the decoded value.
func (m *minion) send(load *wire.Map) (any, error) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	v, err := m.Request(ctx, load)
	if err != nil {
		return nil, err
	}
	return wire.Decode(v)
}

func (m *minion) must(load *wire.Map) any {
	m.t.Helper()
	v, err := m.send(load)
	if err != nil {
		m.t.Fatalf("%s of %s: %v", load.String("cmd"), m.id, err)
	}
	return v
}

// answer returns a job.
func (m *minion) answer(jid string, value any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return m.Return(ctx, returnOf(m.id, jid, value))
}

func returnOf(id, jid string, value any) *wire.Map {
	return wire.NewMap("cmd", "_return", "id", id, "success", true, "return", value, "retcode", 0,
		"jid", jid, "fun", "test.ping", "fun_args", []any{})
}

// session writes the file of a session key, as a previous run of the master left it.
func (r *rig) session(id, key string, at time.Time) {
	r.t.Helper()
	r.file("cache/sessions/"+id, key, 0o600)
	if err := os.Chtimes(filepath.Join(r.cfg.Cachedir, "sessions", id), at, at); err != nil {
		r.t.Fatal(err)
	}
}

func crypticle(t testing.TB, text string) *crypt.Crypticle {
	t.Helper()
	c, err := crypt.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// live returns the liveness of a minion.
func (r *rig) live(id string) engine.Liveness {
	live, _ := r.peers.Announced(id)
	return live
}

// liveNode returns the liveness of a node.
func (r *rig) liveNode(id string) engine.Liveness {
	live, _ := r.peers.Node(id)
	return live
}
