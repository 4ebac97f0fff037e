package syndic

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/logthrottle"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/forwarding"
)

// parents are the masters above, in the order of syndic_failover.
type parents struct {
	links    []*link // as configured
	origins  *origins
	foreign  *strangers
	sharing  *forwarding.Sharing[*link]
	closings *closings
	after    time.Duration // how long one has to be gone before another takes its place
	back     time.Duration // how long one has to be back before it is preferred again
	log      *slog.Logger
	full     logthrottle.Filter[string] // parents for whom too much waits, by name

	mu       sync.Mutex
	standIns []*link // siblings of the one parent, while that is gone
}

// openParents makes a link for each entry of syndic_master.
func openParents(s *Syndic) (*parents, error) {
	names := s.cfg.Upper.Master
	if len(names) == 0 {
		return nil, errors.New("syndic: no master above: set syndic_master in the master configuration")
	}
	ctx, cancel := context.WithTimeout(context.Background(), notesPatience)
	defer cancel()
	o, err := openOrigins(ctx, s.local, s.cfg.Local.Cachedir, s.bounds.AskedJobs)
	if err != nil {
		return nil, err
	}
	p := &parents{
		origins: o, foreign: newStrangers(s.local.Jobs(), s.bounds.AskedJobs), closings: newClosings(s.bounds.AskedJobs, s.local.Word), log: s.log,
		after: s.cfg.Local.SyndicFailoverAfter, back: s.cfg.Local.SyndicFailback,
	}
	p.sharing = forwarding.NewSharing(forwarding.SharingOptions[*link]{After: p.after, Back: p.back, Moved: func(from, to *link) {
		p.log.Warn("Another master above takes the returns that nobody in particular is owed", "from", from.name, "to", to.name)
	}})
	seen := map[string]bool{}
	for _, name := range names {
		l, err := openLink(s, name, len(names) > 1)
		if err == nil && seen[l.ch.Addr()] {
			err = errors.Join(fmt.Errorf("syndic_master: %s is named twice", l.ch.Addr()), l.ch.Close())
		}
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		seen[l.ch.Addr()] = true
		l.returns.asked = o.owing(l.ch.Addr())
		p.links = append(p.links, l)
	}
	if s.cfg.Local.SyndicFailover == "random" {
		rand.Shuffle(len(p.links), func(i, j int) { p.links[i], p.links[j] = p.links[j], p.links[i] })
	}
	return p, nil
}

func (p *parents) close() error {
	var errs []error
	for _, l := range p.all() {
		errs = append(errs, l.ch.Close())
	}
	return errors.Join(errs...)
}

// all are the masters above that there are now.
func (p *parents) all() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.standIns) == 0 {
		return p.links
	}
	return append(slices.Clip(p.links), p.standIns...)
}

// standIn sets the links that stand in for the one parent.
func (p *parents) standIn(links ...*link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.standIns = links
}

// learn remembers who published a job. first: nobody had before; second: another one had,
// and l is owed what is here of it.
func (p *parents) learn(ctx context.Context, l *link, jid, masterID string) (first, second bool) {
	if err := p.origins.learnMaster(ctx, l.ch.Addr(), masterID); err != nil && ctx.Err() == nil {
		l.log.Error("Which master above uses a master_id will not be known after a restart", "master_id", masterID, "err", err)
	}
	first, second = p.origins.learn(l.ch.Addr(), jid)
	if second && len(p.links) > 1 {
		p.origins.owe(l.ch.Addr(), jid)
	}
	if (first || second) && len(p.all()) > 1 {
		l.s.returns.shift() // its returns may be here, and were another one's
	}
	return first, second
}

// keep stores that masters above asked for a job that was not published for them.
func (p *parents) keep(ctx context.Context, jid string, links ...*link) {
	var asks []returners.Note
	for _, l := range links {
		asks = append(asks, p.origins.asks(l.ch.Addr(), jid)...)
	}
	if err := p.origins.note(ctx, asks...); err != nil {
		p.log.Error("To whom the returns of a job are owed will not be known after a restart", "jid", jid, "err", err)
	}
}

// askers are those of the links that a return is owed to: who published its job,
// or whose master_id or name it carries. Nobody knows: all, if a minion brought it
// from elsewhere, for one of them waits for it; none, if its job is of this node.
func (p *parents) askers(links []*link, it returners.Item) []*link {
	masterID := masterOf(it)
	if len(links) == 1 {
		return nil // it gets all
	}
	var out []*link
	for _, addr := range p.origins.of(it.JID, masterID) {
		for _, l := range links {
			if l.ch.Addr() == addr {
				out = append(out, l)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, l := range links {
		if masterID != "" && (l.name == masterID || l.host == masterID) {
			return []*link{l}
		}
	}
	if len(p.links) > 1 && p.foreign.has(it) {
		return links
	}
	return nil
}

// owns tells whether a row of the outbox goes over l now. It goes to everybody
// who asked for its job, and to one other while none of those can be reached.
func (p *parents) owns(l *link, it returners.Item) bool {
	links := p.all()
	return p.sharing.Owns(links, p.askers(links, it), l)
}

func masterOf(it returners.Item) string {
	if it.Return == nil {
		return ""
	}
	return it.Return.MasterID
}

// others are the destinations of those who asked for a row that l has taken, and
// have not had it. One that is owed as much as may wait is given it from the job store
// when there is room.
func (p *parents) others(l *link, it returners.Item) (dests []string) {
	links := p.all()
	for _, o := range p.sharing.Others(links, p.askers(links, it), l) {
		rows, full := o.returns.full()
		if !full {
			dests = append(dests, o.returns.dest)
			continue
		}
		kept := o.returns.later(it.JID)
		if n := p.full.Note(o.name, time.Now()); n > 0 && kept {
			p.log.Warn("A master above is owed as much as outbox_max_rows and outbox_max_bytes allow: what comes is given to it from the job store when there is room",
				"parent", o.name, "has_them", l.name, "waiting", rows, "times", n)
		} else if n > 0 {
			p.log.Error("Returns are not kept for a master above that is away: as many wait for it as outbox_max_rows and outbox_max_bytes allow, and of as many jobs as the bound asked_jobs allows more are in the job store; another one has them",
				"parent", o.name, "has_them", l.name, "waiting", rows, "times", n)
		}
	}
	return dests
}

// pinFile names the file in pki_dir that pins a parent's key. Parents may have
// keys of their own, so each of several has its own file; one that Salt made for
// all of them is what each begins with.
func pinFile(pkiDir, host string, several bool) (string, error) {
	const shared = "syndic_master.pub"
	if !several {
		return shared, nil
	}
	name := "syndic_master." + strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == 0 {
			return '_'
		}
		return r
	}, host) + ".pub"
	path := filepath.Join(pkiDir, name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	pem, err := os.ReadFile(filepath.Join(pkiDir, shared))
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	if err == nil {
		err = crypt.WriteFile(path, pem, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("pin the key of the master above: %w", err)
	}
	return name, nil
}

// sharesHost tells whether another entry of syndic_master is on the same host: two
// masters there have a key each.
func sharesHost(upper *config.Minion, name, host string) bool {
	for _, other := range upper.Master {
		h, _, err := channel.SplitMaster(other, upper.MasterPort)
		if err == nil && other != name && h == host {
			return true
		}
	}
	return false
}

func openLink(s *Syndic, name string, several bool, alter ...func(*channel.Config) error) (*link, error) {
	c, err := channel.FromMinion(s.cfg.Upper, "syndic", name)
	if err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	c.FingerOption, c.Option = "syndic_finger", "syndic_master"
	c.Log = s.log.With("parent", name)
	host := c.Host
	if sharesHost(s.cfg.Upper, name, host) {
		host = fmt.Sprintf("%s_%d", host, c.Port)
	}
	if c.PinName, err = pinFile(c.PkiDir, host, several); err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	for _, f := range alter {
		if err := f(&c); err != nil {
			return nil, fmt.Errorf("syndic_master %s: %w", name, err)
		}
	}
	ch, err := channel.New(c)
	if err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	l := &link{
		s: s, name: name, host: c.Host, ch: ch, log: c.Log,
		ready: make(chan uint64, 1), inbox: make(chan []byte, inboxSize),
		fetch: make(chan struct{}, 1), missed: make(chan wire.Publication), offers: make(chan struct{}, offering), homes: make(chan time.Duration, 1), handed: lru.New[string, struct{}](s.bounds.AskedJobs),
		since: time.Now(), longest: max(s.cfg.Upper.RequestChannelTimeout, s.pace.answer),
	}
	l.events, l.returns = newUplink(l), newSender(l)
	l.tail.Refused = l.decline
	return l, nil
}
