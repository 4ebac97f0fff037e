package swarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// ours is what a minion like mom's has on the wire beyond a stock one: it keeps its connection,
// reports its presence, and fetches missed publications. It is built on package channel, like the
// real one.
type ours struct {
	m *minion

	mu     sync.Mutex
	ch     *channel.Channel // of this life
	wakeup chan struct{}    // closed when the connection comes or goes; nil: nobody waits
}

func newOurs(m *minion) *ours { return &ours{m: m} }

// Heartbeat and announcements of a minion like mom's.
const (
	ourHeartbeat        = 5 * time.Second
	ourHeartbeatTimeout = 15 * time.Second
	unboundPause        = 100 * time.Millisecond
	maxUnbound          = 20
)

// noLog is the logger of these minions: errors are counted and reported by Swarm.trouble.
var noLog = slog.New(slog.DiscardHandler)

// pins is where these minions keep the master's key, for one run: all in one file.
type pins struct {
	dir   string
	first sync.Once // the first minion writes it, the others read it
}

func (p *pins) open() (err error) {
	if p.dir, err = os.MkdirTemp("", "mom-swarm-"); err != nil {
		return fmt.Errorf("swarm: make a directory for the master's key: %w", err)
	}
	return nil
}

func (p *pins) close() { _ = os.RemoveAll(p.dir) } // a temporary folder

// live runs one life of the minion: it signs in and requests the pillar. Then it listens on a
// goroutine with a small stack; other goroutines do the work.
func (u *ours) live(ctx context.Context) {
	m, s := u.m, u.m.swarm
	var ch *channel.Channel
	var err error
	deep(func() { ch, err = u.dial() })
	if err != nil {
		s.trouble("minion cannot start", "minion", m.id, "err", err)
		return
	}
	u.mu.Lock()
	u.ch = ch
	u.mu.Unlock()
	var res channel.Result
	s.pins.first.Do(func() { res, err = u.enter(ctx, ch) })
	if res.Seq == 0 {
		res, err = u.enter(ctx, ch)
	}
	if err != nil {
		_ = ch.Close() // ctx has ended
		return
	}
	s.signedIn.reached(m.i, time.Since(s.began))
	if _, err := ch.Pillar(ctx, channel.PillarRequest{Grains: m.grains()}); err != nil && ctx.Err() == nil {
		s.abandoned.Add(1)
	}
	e := &session{ours: u, ctx: ctx, ch: ch, tail: channel.Tail{Filtered: s.cfg.Filtering}}
	e.sub = e.subscription(res)
	s.work.Go(func() { e.listen(ctx) })
}

// session is the state of one life. A process that starts knows no publication.
type session struct {
	*ours
	ctx  context.Context // of the life
	ch   *channel.Channel
	sub  *zmtp.Sub
	tail channel.Tail
	said bool // it has announced itself; used by the goroutine of the subscription only
	work sync.WaitGroup
}

func (u *ours) dial() (*channel.Channel, error) {
	m, s := u.m, u.m.swarm
	pair, err := m.key.Pair()
	if err != nil {
		return nil, err
	}
	t := s.cfg.Timers
	d := zmtp.DialConfig{Log: noLog, Hearts: s.hearts, SourceAddr: addrText(m.dialer.From)}
	return channel.New(channel.Config{
		ID: m.id, Host: s.cfg.Host, Port: s.cfg.Port, Dial: d, PkiDir: s.pins.dir, PinName: "master.pub",
		Pair: pair, Proof: m.key.Tok, Log: noLog,
		AuthTimeout: t.AuthTimeout, AuthTries: t.AuthTries, AcceptanceWaitTime: t.AcceptanceWait,
		RequestTimeout: t.RequestTimeout, RequestTries: t.RequestTries,
		ReturnTimeout: t.ReturnRetry, ReturnTimeoutMax: t.ReturnRetryMax, ReturnTries: 1,
		OnSignIn: func(channel.Result) { s.signIns.Add(1) }, Deep: deep,
	})
}

func addrText(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// enter signs in until the master accepts it or ctx ends.
func (u *ours) enter(ctx context.Context, ch *channel.Channel) (channel.Result, error) {
	s := u.m.swarm
	for {
		res, err := ch.Attempt(ctx)
		if err == nil || ctx.Err() != nil {
			return res, err
		}
		if errors.Is(err, channel.ErrNoAnswer) {
			s.timeouts.Add(int64(s.cfg.Timers.AuthTries))
		} else {
			s.refused.Add(1)
		}
		pause := s.cfg.Timers.AcceptanceWait
		pause += rand.N(pause/10 + 1)
		s.trouble("cannot sign in", "minion", u.m.id, "retry_in", pause, "err", err)
		if wait(ctx, pause) != nil {
			return res, err
		}
	}
}

// subscription is the publish connection of a life.
func (u *session) subscription(res channel.Result) *zmtp.Sub {
	m, s := u.m, u.m.swarm
	t := s.cfg.Timers
	d := zmtp.DialConfig{
		Identity: u.ch.Session(), BackoffMin: t.Recon, BackoffMax: t.Recon + t.ReconMax,
		HeartbeatInterval: ourHeartbeat, HeartbeatTimeout: ourHeartbeatTimeout, Hearts: s.hearts, Log: noLog,
		SourceAddr: addrText(m.dialer.From), OnConnect: u.stands, OnDisconnect: u.broke,
	}
	return zmtp.NewSub(u.ch.PublishAddr(res, s.cfg.PublishPort), d, u.ch.Topics(s.cfg.Filtering))
}

// listen receives and answers until the life ends.
func (u *session) listen(ctx context.Context) {
	err := u.sub.Run(ctx, func(frames [][]byte) { beside(func() { u.hear(ctx, frames) }) })
	if err != nil && ctx.Err() == nil {
		u.m.swarm.trouble("subscription ended", "minion", u.m.id, "err", err)
	}
	u.work.Wait()
	_ = u.ch.Close() // its connections are given up
}

func (u *session) stands() {
	u.m.stands(true)
	start := !u.said
	u.said = true
	u.work.Go(func() { u.greet(u.ctx, start) })
}

func (u *session) broke(error) {
	u.tail.Lost()
	u.m.stands(false)
	u.changed()
}

// greet announces the subscription, fetches missed publications, and the first time sends the
// start event.
func (u *session) greet(ctx context.Context, start bool) {
	m, s, ch := u.m, u.m.swarm, u.ch
	for range maxUnbound {
		reply, known, err := ch.Announce(ctx, channel.Presence{Version: "swarm", Running: u.running(), Heard: &u.tail})
		if err != nil {
			if wait(ctx, s.cfg.Timers.AcceptanceWait) != nil {
				return
			}
			continue
		}
		if known && u.tail.Answer(reply) {
			u.catchUp(ctx)
		}
		if seen, some := reply.Get("session"); !some || seen != false || wait(ctx, unboundPause) != nil {
			break
		}
	}
	u.changed()
	if !start || ctx.Err() != nil {
		return
	}
	text := "Minion " + m.id + " started at " + time.Now().Format(time.ANSIC)
	for _, tag := range []string{"minion_start", "salt/minion/" + m.id + "/start"} {
		load := wire.NewMap("id", m.id, "cmd", "_minion_event", "pretag", nil, "data", text, "tag", tag)
		if _, err := ch.Request(ctx, load); err != nil && ctx.Err() == nil {
			s.abandoned.Add(1)
		}
	}
	if ctx.Err() == nil {
		m.readyWhen(func() { m.said = true })
	}
}

func (u *session) catchUp(ctx context.Context) {
	err := u.ch.CatchUp(ctx, &u.tail, u.running(), func(p wire.Publication) { u.take(ctx, p) })
	if err != nil && ctx.Err() == nil {
		u.m.swarm.trouble("missed publications not fetched", "minion", u.m.id, "err", err)
	}
}

// way returns the channel for returns, and a channel that is closed when the connection changes.
func (u *ours) way() (*channel.Channel, <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.wakeup == nil {
		u.wakeup = make(chan struct{})
	}
	return u.ch, u.wakeup
}

func (u *ours) changed() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.wakeup != nil {
		close(u.wakeup)
		u.wakeup = nil
	}
}

func (u *ours) running() []string {
	u.m.mu.Lock()
	defer u.m.mu.Unlock()
	jids := []string{}
	for _, o := range u.m.runs {
		jids = append(jids, o.jid)
	}
	return jids
}

func (u *session) hear(ctx context.Context, frames [][]byte) {
	if len(frames) == 2 && string(frames[0]) != "broadcast" && string(frames[0]) != topicOf(u.m.id) || len(frames) == 0 {
		return
	}
	p, err := u.ch.OpenPublication(ctx, frames[len(frames)-1])
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, channel.ErrReplayed) {
			u.m.swarm.unread.Add(1)
		}
		return
	}
	if u.tail.Note(p) {
		u.work.Go(func() { u.catchUp(ctx) })
	}
	u.take(ctx, p)
}

func (u *ours) take(ctx context.Context, p wire.Publication) {
	s := u.m.swarm
	o, err := s.orders.get(p.Full, func() (*order, error) { return newOrder(p.Full, s.jobs) })
	if err != nil {
		return // a change of the tree, or a job of several functions
	}
	u.m.take(ctx, o, time.Now())
}

// deliver sends a result until the master has acknowledged it, like the queue on disk of mom's
// minion.
func (u *ours) deliver(ctx context.Context, o *order, load *wire.Map) error {
	t := u.m.swarm.cfg.Timers
	for {
		ch, changed := u.way()
		err := ch.Return(ctx, load)
		if err == nil || ctx.Err() != nil {
			return err
		}
		o.job.retry()
		rest(ctx, t.ReturnRetry+rand.N(t.ReturnRetryMax-t.ReturnRetry+1), changed)
	}
}

// rest waits for d, or until the connection changes.
func rest(ctx context.Context, d time.Duration, changed <-chan struct{}) {
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-changed:
	case <-ctx.Done():
	}
}
