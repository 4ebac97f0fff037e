package swarm

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/internal/zmtp/peer"
)

// Swarm is a number of minions of one master.
type Swarm struct {
	account
	cfg       Config
	host      netip.Addr
	challenge string // a master decrypts it to prove that it owns its key
	jobs      *jobs
	minions   []*minion
	master    atomic.Pointer[masterKey] // pinned by the first minion that saw it
	began     time.Time
	work      sync.WaitGroup
	ctx       context.Context // context of Run
	orders    orders          // publications received by minions like mom's
	pins      pins
	hearts    *zmtp.Hearts // of minions like mom's
	held      *held        // cached files of all minions
	sheets    *sheets      // SLS and top files
	options   *wire.Map    // sent with _master_tops

	mu      sync.Mutex
	presses map[string]*press
	said    map[string]time.Time // when each trouble was last logged
}

// New checks cfg and creates the minions. Their keys must exist.
func New(cfg Config) (*Swarm, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("swarm: %w", err)
	}
	s := &Swarm{
		cfg: cfg, challenge: crypt.NewKeyString(), jobs: newJobs(), presses: map[string]*press{},
		said: map[string]time.Time{}, began: time.Now(), held: newHeld(), sheets: newSheets(), options: fillerOptions(),
	}
	var err error
	if s.host, err = resolve(cfg.Host); err != nil {
		return nil, err
	}
	roles := cfg.roles()
	for i := range cfg.IDs.Count {
		n := cfg.IDs.First + i
		key, err := cfg.Keys.Key(n)
		if err != nil {
			return nil, fmt.Errorf("swarm: %w", err)
		}
		m := &minion{swarm: s, i: i, id: cfg.IDs.ID(i), key: key, role: roles[i]}
		m.dialer = peer.Dialer{Addr: s.addr(cfg.Port), From: address(cfg.Source, n), Counts: &s.Counts}
		if ourShare(n, cfg.MomShare) {
			m.our = newOurs(m)
		}
		s.minions = append(s.minions, m)
	}
	return s, nil
}

// ourShare spreads a share evenly over consecutive numbers.
func ourShare(n int, share float64) bool {
	return int(float64(n+1)*share) > int(float64(n)*share)
}

// roles assigns the shares, the same way for the same range of ids.
func (c Config) roles() []role {
	rs := make([]role, c.IDs.Count)
	at := 0
	for _, part := range []struct {
		role  role
		share float64
	}{{down, c.Down}, {mute, c.Mute}, {dying, c.Die}} {
		for range int(part.share*float64(len(rs)) + 0.5) {
			if at < len(rs) {
				rs[at] = part.role
				at++
			}
		}
	}
	shuffle := rand.New(rand.NewPCG(uint64(c.IDs.First), uint64(c.IDs.Count)))
	shuffle.Shuffle(len(rs), func(i, j int) { rs[i], rs[j] = rs[j], rs[i] })
	return rs
}

func (s *Swarm) addr(port int) netip.AddrPort {
	return netip.AddrPortFrom(s.host, uint16(port))
}

// resolve looks up the address of the master, once for all minions.
func resolve(host string) (netip.Addr, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("swarm: find the master %s: %w", host, err)
	}
	for _, ip := range ips {
		if ip.Unmap().Is4() {
			return ip.Unmap(), nil
		}
	}
	return ips[0], nil
}

// press returns the press for a shared key.
func (s *Swarm) press(aes string) (*press, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.presses[aes]; p != nil {
		return p, nil
	}
	c, err := crypt.ParseKey(aes)
	if err != nil {
		return nil, fmt.Errorf("%w: aes: %w", errBadReply, err)
	}
	p := &press{aes: aes, open: c, jobs: s.jobs}
	s.presses[aes] = p
	return p, nil
}

// troublePause is how often one kind of trouble is logged: ten thousand minions may have it
// at once.
const troublePause = 10 * time.Second

func (s *Swarm) trouble(what string, attrs ...any) {
	s.mu.Lock()
	now := time.Now()
	due := now.Sub(s.said[what]) >= troublePause
	if due {
		s.said[what] = now
	}
	s.mu.Unlock()
	if due {
		s.cfg.Log.Warn(what, attrs...) //nolint:sloglint // constant in each caller
	}
}

// Run starts all minions and serves until ctx ends. Call it once. Times are counted from
// [New].
func (s *Swarm) Run(ctx context.Context) error {
	s.ctx = ctx
	if err := s.pins.open(); err != nil {
		return err
	}
	defer s.pins.close()
	s.hearts = zmtp.NewHearts()
	defer s.hearts.Close()
	var wg sync.WaitGroup
	wg.Go(func() { s.startAll(ctx) })
	for _, h := range s.cfg.Herds {
		wg.Go(func() { s.herd(ctx, h) })
	}
	<-ctx.Done()
	wg.Wait()
	for _, m := range s.minions {
		m.fall()
	}
	s.work.Wait()
	return nil
}

func (s *Swarm) startAll(ctx context.Context) {
	n := len(s.minions)
	for i, m := range s.minions {
		if s.cfg.Ramp > 0 {
			due := s.began.Add(s.cfg.Ramp * time.Duration(i) / time.Duration(n))
			if wait(ctx, time.Until(due)) != nil {
				return
			}
		}
		if m.role != down {
			m.start(ctx)
		}
	}
}

// kill stops a minion. It starts again after away, unless that is 0.
func (s *Swarm) kill(m *minion, away time.Duration) {
	s.fallen.Add(1)
	// Not from the goroutine that reads its subscription.
	s.work.Go(func() {
		m.fall()
		if away <= 0 {
			return
		}
		if wait(s.ctx, away) == nil {
			m.start(s.ctx)
		}
	})
}

// herd stops a share of the minions and restarts it.
func (s *Swarm) herd(ctx context.Context, h Herd) {
	for s.ready.count() < s.alive() {
		if wait(ctx, 10*time.Millisecond) != nil {
			return
		}
	}
	if wait(ctx, h.At) != nil {
		return
	}
	var gone []*minion
	for i, m := range s.minions {
		if m.role != down && ourShare(i, h.Share) {
			s.fallen.Add(1)
			m.fall()
			gone = append(gone, m)
		}
	}
	if wait(ctx, h.Away) != nil {
		return
	}
	for _, m := range gone {
		m.start(ctx)
	}
}

// alive returns how many minions should be up.
func (s *Swarm) alive() (n int) {
	for _, m := range s.minions {
		if m.role != down {
			n++
		}
	}
	return n
}

// Report returns the current account.
func (s *Swarm) Report() Report {
	r := Report{
		Minions: len(s.minions), Protocol: s.cfg.Protocol, Ran: Seconds(time.Since(s.began)),
		SignedIn: s.signedIn.report(), Ready: s.ready.report(), SignIns: s.signIns.Load(),
		Conns: Connections{Up: s.up.Load(), Opened: s.Opened.Load(), Refused: s.Refused.Load(), Cut: s.Cut.Load()},
		Requests: RequestReport{
			Refused: s.refused.Load(), Rejected: s.rejected.Load(), TimedOut: s.timeouts.Load(),
			Abandoned: s.abandoned.Load(), Unreadable: s.unread.Load(), Fallen: s.fallen.Load(),
		},
		Inquiries: s.jobs.inquiries.report(), Memory: memory(len(s.minions)),
	}
	for _, m := range s.minions {
		switch {
		case m.role == down:
			r.Down++
		case m.our != nil:
			r.Ours++
		default:
			r.Stock++
		}
	}
	s.jobs.mu.Lock()
	kept := s.jobs.byJID.Values()
	r.Totals = s.jobs.gone
	s.jobs.mu.Unlock()
	for _, j := range kept {
		jr := j.report()
		r.Jobs = append(r.Jobs, jr)
		r.Totals.add(jr)
	}
	return r
}
