package syndic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/pace"
	"github.com/momtree/mom/syndic/publications"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/syndic/siblings"
)

// Options of a [Syndic].
type Options struct {
	Config *config.Syndic
	Local  local.Master
	// Failover lets the minions of that master, and this node, move to siblings. nil, or
	// rehome: False: none moves.
	Failover siblings.Failover
	Version  string       // of this program, told to the masters above
	Log      *slog.Logger // nil: slog.Default
	// Tracer makes OpenTelemetry traces of jobs, and Trace gives that of a job of the local
	// master; nil: none.
	Tracer *tracing.Tracer
	Trace  func(jid string) tracing.Carrier
	// Rescue counts what sweeps find that should have gone by itself: that of the
	// master beside. nil: one of its own, which Metrics tell of.
	Rescue *rescue.Counter
	// Questions hands on what the masters above ask minions below about jobs.
	// A master of ours asks its own minions itself; beside any other nobody does.
	Questions bool
}

// Syndic is the forwarder.
type Syndic struct {
	cfg      *config.Syndic
	local    local.Master
	version  string
	log      *slog.Logger
	pace     *pace.Pace
	bounds   bounds.Bounds
	life     *sequence.Life
	parents  *parents
	failover siblings.Failover  // nil: nobody moves
	lodgings *siblings.Lodgings // nil with it
	returns  *returns.Forwarder
	offered  publications.Offered

	rescues    *rescue.Counter
	ownRescues bool // the counter is told of by Metrics

	tracer *tracing.Tracer
	trace  func(jid string) tracing.Carrier

	questions bool // hand on what masters above ask about jobs
}

// New reads or makes the keys. It opens no connection.
func New(o Options) (*Syndic, error) {
	if o.Config == nil || o.Local == nil {
		return nil, errors.New("syndic: the configuration and the local master are needed")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	conf := o.Config.Local
	s := &Syndic{cfg: o.Config, local: o.Local, version: o.Version, log: o.Log, bounds: conf.Bounds.OrDefault(), questions: o.Questions, tracer: o.Tracer, trace: o.Trace}
	s.pace = pace.Default(s.bounds.ForwardSweep)
	if s.rescues = o.Rescue; s.rescues == nil {
		s.rescues, s.ownRescues = rescue.New(o.Log, nil), true
	}
	var err error
	if s.life, err = sequence.Begin(filepath.Join(conf.Cachedir, "syndic_order"), time.Now()); err != nil {
		s.log.Warn("message counter not saved, a clock set back may reorder messages", "err", err)
	}
	if conf.Rehome && o.Failover != nil {
		s.failover = o.Failover
		if s.lodgings, err = siblings.OpenLodgings(conf.Cachedir); err != nil {
			s.log.Warn("saved siblings of the parent ignored", "err", err)
		}
	}
	s.returns = returns.NewForwarder(returns.ForwarderOptions{
		Senders: s.senders, Sweep: s.sweepEvents, Outbox: o.Local.Outbox(), Grown: o.Local.Grown(),
		After: conf.SyndicFailoverAfter, Gather: conf.SyndicEventForwardTimeout, Bounds: s.bounds, Pace: s.pace, Log: s.log,
	})
	if s.parents, err = s.openParents(); err != nil {
		return nil, err
	}
	return s, nil
}

// openParents makes a link for each entry of syndic_master.
func (s *Syndic) openParents() (*parents, error) {
	names := s.cfg.Upper.Master
	if len(names) == 0 {
		return nil, errors.New("syndic: no master above: set syndic_master in the master configuration")
	}
	conf := s.cfg.Local
	o, err := origins.Open(context.Background(), origins.Options{Local: s.local, Cachedir: conf.Cachedir, Most: s.bounds.AskedJobs})
	if err != nil {
		return nil, err
	}
	p := &parents{
		origins: o, foreign: origins.NewStrangers(s.local.Jobs(), s.bounds.AskedJobs), closings: origins.NewClosings(s.bounds.AskedJobs, s.local.Word),
		shift: s.returns.Shift, log: s.log,
	}
	p.sharing = returns.NewSharing(returns.SharingOptions[*parent]{After: conf.SyndicFailoverAfter, Back: conf.SyndicFailback, Moved: func(from, to *parent) {
		p.log.Warn("default parent for returns changed", "from", from.name, "to", to.name)
	}})
	seen := map[string]bool{}
	for _, name := range names {
		l, err := s.openParent(p, name, len(names) > 1, nil)
		if err == nil && seen[l.ch.Addr()] {
			err = errors.Join(fmt.Errorf("syndic_master: %s is named twice", l.ch.Addr()), l.ch.Close())
		}
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		seen[l.ch.Addr()] = true
		for _, jid := range o.Owing(l.ch.Addr()) {
			l.returns.Again(jid)
		}
		p.links = append(p.links, l)
	}
	if conf.SyndicFailover == "random" {
		rand.Shuffle(len(p.links), func(i, j int) { p.links[i], p.links[j] = p.links[j], p.links[i] })
	}
	return p, nil
}

// openParent puts together what belongs to one of all, which is not connected yet. visit
// makes the node a guest there; nil: it is none.
func (s *Syndic) openParent(all *parents, name string, several bool, visit func(*channel.Config) error) (*parent, error) {
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
	if visit != nil {
		if err := visit(&c); err != nil {
			return nil, fmt.Errorf("syndic_master %s: %w", name, err)
		}
	}
	ch, err := channel.New(c)
	if err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	conf, id, addr := s.cfg.Local, s.ID(), ch.Addr()
	p := &parent{name: name, host: c.Host, guest: visit != nil, ch: ch, log: c.Log}
	p.Link = link.New(link.Options{
		Upper: s.cfg.Upper, Name: name, Channel: ch, Version: s.version, Tree: s.local.Tree(), Shift: s.returns.Shift,
		After: conf.SyndicFailoverAfter, Back: conf.SyndicFailback, Pace: s.pace, Rescues: s.rescues, Log: p.log,
	})
	p.events = events.New(events.Options{
		ID: id, Name: name, Parent: p, Local: s.local, Gather: conf.SyndicEventForwardTimeout, Bounds: s.bounds, Pace: s.pace,
		Numbers: s.life.Numbers(), Rescues: s.rescues, Log: p.log,
		Concerned: func(jid string) bool { return all.origins.Concerns(addr, jid) },
		Heard:     func(jid string, word uint64) bool { return all.closings.Has(jid, word, addr) },
		Took: func(c jobevent.Closed) {
			if all.took(p, c) {
				s.local.Told(c.JID, c.Word)
			}
		},
	})
	p.returns = returns.New(returns.Options{
		ID: id, Name: name, Addr: addr, Parent: p, Outbox: s.local.Outbox(), Jobs: s.local.Jobs(), Origins: all.origins,
		Owns:   func(it returners.Item) bool { return all.owns(p, it) },
		Others: func(it returners.Item) []string { return all.others(p, it) },
		Tracer: s.tracer, Trace: s.trace, Owes: all.owes, Shifts: s.returns.Shifts, Config: conf, Bounds: s.bounds, Pace: s.pace, Rescues: s.rescues, Log: p.log,
	})
	p.siblings = siblings.New(siblings.Options{
		ID: id, Local: s.failover, Lodgings: s.lodgings, Guest: p.guest, Channel: ch, IsUp: p.IsUp, Pace: s.pace, Log: p.log,
	})
	p.publications = publications.New(publications.Options{
		ID: id, Channel: ch, Local: s.local, Offered: &s.offered,
		Learn: func(ctx context.Context, jid, masterID string) (first, second bool) {
			return all.learn(ctx, p, jid, masterID)
		},
		Asks:  func(jid string) []returners.Note { return all.origins.Asks(addr, jid) },
		Early: p.returns.Early, Again: p.returns.Again, Push: p.events.Push, Answer: p.events.Answer, Request: p.Request, Siblings: p.siblings.Soon,
		Tracer: s.tracer, OwnMaster: conf.MasterID, Questions: s.questions, Remember: s.bounds.AskedJobs, Pace: s.pace, Log: p.log,
	})
	return p, nil
}

// openGuest makes the way to a sibling of the parent.
func (s *Syndic) openGuest(name string, visit func(*channel.Config) error) (*parent, error) {
	return s.openParent(s.parents, name, true, visit)
}

func (s *Syndic) senders() []*returns.Sender {
	links := s.parents.all()
	out := make([]*returns.Sender, len(links))
	for i, l := range links {
		out[i] = l.returns
	}
	return out
}

func (s *Syndic) sweepEvents() {
	for _, l := range s.parents.all() {
		l.events.Sweep()
	}
}

// ID is the id of the syndic, as the masters above know it.
func (s *Syndic) ID() string { return s.cfg.Upper.ID }

// Run forwards both ways until ctx ends, then closes the connections. No error of
// a master above ends it: a local master goes on without, and what it owes waits.
func (s *Syndic) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, l := range s.parents.links {
		wg.Go(func() { l.run(ctx) })
	}
	if s.failover != nil && len(s.parents.links) == 1 {
		r := &rehomer{upper: s.cfg.Upper, lodgings: s.lodgings, parents: s.parents, returns: s.returns, open: s.openGuest, pace: s.pace, log: s.log}
		wg.Go(func() { r.run(ctx) })
	}
	l := &listener{conf: s.cfg.Local, bus: s.local.Bus(), parents: s.parents, flush: s.returns.Flush, pace: s.pace, log: s.log}
	wg.Go(func() { l.run(ctx) })
	wg.Go(func() { s.returns.Run(ctx) })
	wg.Wait()
	return s.Close()
}

// Close ends the connections. It is for a Syndic that is not run.
func (s *Syndic) Close() error { return s.parents.close() }
