package swarm

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp/peer"
)

// jidQueue is Salt's minion_jid_queue_hwm: how many jids a minion remembers.
const jidQueue = 100

// minion is one of the swarm, of either kind.
type minion struct {
	swarm  *Swarm
	i      int // index in the swarm
	id     string
	key    *Key
	dialer peer.Dialer
	pinned atomic.Bool // has seen the master's key
	role   role
	our    *ours // nil for a stock minion

	signing sync.Mutex // one sign-in at a time

	mu     sync.Mutex
	life   context.Context // of this life; nil: never started
	end    context.CancelFunc
	creds  credentials
	seq    int // number of accepted sign-ins
	serial int64
	sub    *peer.Sub
	stood  bool     // the subscription of this life has stood
	said   bool     // this life has said that it started
	recent []uint64 // hashes of jids taken, newest last
	runs   []*order
	// unopened holds publications that wait for a sign-in, oldest first; opening says that a goroutine reads them. Later
	// publications wait behind them, as salt-minion reads one after another.
	unopened []unopened
	opening  bool
}

// role is what a share of the minions does differently.
type role uint8

const (
	honest role = iota
	down        // never starts
	mute        // takes jobs and answers none
	dying       // falls over at each job
)

func (m *minion) keys() credentials {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.creds
}

// start begins a life.
func (m *minion) start(ctx context.Context) {
	m.mu.Lock()
	if m.life != nil && m.life.Err() == nil {
		m.mu.Unlock()
		return
	}
	m.life, m.end = context.WithCancel(ctx)
	m.recent, m.runs, m.serial = nil, nil, 0 // a process that starts has no memory
	m.stood, m.said = false, false
	ctx = m.life
	m.mu.Unlock()
	if m.our != nil {
		m.swarm.work.Go(func() { m.our.live(ctx) })
		return
	}
	m.swarm.work.Go(func() { m.live(ctx) })
}

// fall ends the life at once, as a process that is killed.
func (m *minion) fall() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.end == nil {
		return
	}
	m.end()
	if sub := m.sub; sub != nil {
		m.sub = nil
		m.swarm.work.Go(sub.Close)
	}
}

// live signs in, subscribes, asks for the pillar and says that it has started, in
// the order of salt-minion.
func (m *minion) live(ctx context.Context) {
	s := m.swarm
	if !m.enter(ctx) {
		return
	}
	m.subscribe(ctx)
	t := s.cfg.Timers
	p := patience{timeout: t.RequestTimeout, tries: t.RequestTries}
	m.insist(ctx, m.pillarLoad(), p)
	text := "Minion " + m.id + " started at " + time.Now().Format(time.ANSIC)
	for _, tag := range []string{"minion_start", "salt/minion/" + m.id + "/start"} {
		load := wire.NewMap("id", m.id, "cmd", "_minion_event", "pretag", nil, "data", text, "tag", tag)
		if s.cfg.Protocol >= 3 {
			load.Set("_stamp", wire.StampText(time.Now()))
		}
		m.insist(ctx, load, p)
	}
	if ctx.Err() == nil {
		m.readyWhen(func() { m.said = true })
	}
}

// readyWhen enters one of two things after which a minion counts as ready: its
// subscription stands, and it has said that it started.
func (m *minion) readyWhen(enter func()) {
	m.mu.Lock()
	enter()
	ready := m.stood && m.said
	m.mu.Unlock()
	if ready {
		m.swarm.ready.reached(m.i, time.Since(m.swarm.began))
	}
}

// insist sends what the minion says only once, and enters that it was given up.
func (m *minion) insist(ctx context.Context, load *wire.Map, p patience) {
	if _, err := m.request(ctx, load, p); err != nil && ctx.Err() == nil {
		m.swarm.abandoned.Add(1)
		m.swarm.cfg.Log.Debug("given up", "minion", m.id, "cmd", load.String("cmd"), "err", err)
	}
}

func (m *minion) pillarLoad() *wire.Map {
	return wire.NewMap("id", m.id, "grains", m.grains(), "saltenv", nil, "pillarenv", nil,
		"pillar_override", wire.NewMap(), "extra_minion_data", wire.NewMap(), "ver", "2", "cmd", "_pillar")
}

// grains are few and true.
func (m *minion) grains() *wire.Map {
	g := wire.NewMap("id", m.id, "host", m.id, "nodename", m.id, "master", m.swarm.cfg.Host, "saltversion", m.swarm.cfg.Version, "swarm", true)
	if from := address(m.swarm.cfg.Source, m.swarm.cfg.IDs.First+m.i); from.IsValid() && from.Is4() {
		g.Set("ipv4", []any{from.String()})
	}
	return g
}

// enter signs in until that is accepted.
func (m *minion) enter(ctx context.Context) bool {
	s := m.swarm
	for {
		_, err := m.signInAgain(ctx)
		if err == nil {
			s.signedIn.reached(m.i, time.Since(s.began))
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		pause := s.cfg.Timers.AcceptanceWait
		switch {
		case errors.Is(err, errPending):
			s.refused.Add(1)
		case errors.Is(err, errRefused), errors.Is(err, errFull), errors.Is(err, errBadReply):
			s.refused.Add(1)
			pause += rand.N(pause + 1) // salt-minion ends, and systemd starts it again
		}
		s.trouble("cannot sign in", "minion", m.id, "retry_in", pause, "err", err)
		if wait(ctx, pause) != nil {
			return false
		}
	}
}

// signInAgain renews the keys; who finds that another has just done it takes those.
func (m *minion) signInAgain(ctx context.Context) (credentials, error) {
	m.mu.Lock()
	before := m.seq
	m.mu.Unlock()
	m.signing.Lock()
	defer m.signing.Unlock()
	m.mu.Lock()
	now, k := m.seq, m.creds
	m.mu.Unlock()
	if now != before {
		return k, nil
	}
	k, err := m.attempt(ctx)
	if err != nil {
		return k, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.creds.press != k.press {
		m.serial = 0
	}
	m.creds = k
	m.seq++
	return k, nil
}

// subscribe listens from now on, for this life.
func (m *minion) subscribe(ctx context.Context) {
	s := m.swarm
	topics := []string{""}
	if s.cfg.Filtering {
		topics = []string{"broadcast", topicOf(m.id)}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	port := or(s.cfg.PublishPort, m.creds.port)
	t := s.cfg.Timers
	d := m.dialer
	d.Addr = s.addr(port)
	m.sub = d.Subscribe(ctx, peer.SubConfig{
		Identity: len(m.id), Topics: topics,
		Reconnect: t.Recon + rand.N(t.ReconMax+1), ReconnectMax: t.ReconMax,
		Deliver: func(topic string, body []byte) {
			if topic == "" || topic == "broadcast" || topic == topicOf(m.id) {
				m.hear(ctx, body)
			}
		},
		Changed: m.stands,
	})
}

func (m *minion) stands(up bool) {
	if up {
		m.swarm.up.Add(1)
		m.readyWhen(func() { m.stood = true })
	} else {
		m.swarm.up.Add(-1)
	}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
