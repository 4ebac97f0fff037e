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
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/local"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/publications"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/syndic/siblings"
)

// Options of a [Syndic].
type Options struct {
	Config *config.Syndic
	Local  local.Master
	// Failover lets minions of that master, and this node, move to siblings. nil (rehome: False)
	// disables that.
	Failover siblings.Failover
	Version  string       // of this program, reported to the parents
	Log      *slog.Logger // nil: slog.Default
	// Tracer creates OpenTelemetry spans, and Trace returns the trace of a job of the local master.
	// nil disables tracing.
	Tracer *tracing.Tracer
	Trace  func(jid string) tracing.Carrier
	// Rescue counts work found by sweeps; it is shared with the master beside. nil: the forwarder
	// has a counter of its own, which Metrics includes.
	Rescue *logs.Rescues
	// Questions republishes a parent's questions to minions below about their jobs. A mom master
	// asks its own minions itself; a Salt master does not.
	Questions bool
}

// Syndic is the forwarder of a node. It is safe for concurrent use.
type Syndic struct {
	cfg          *config.Syndic
	local        local.Master
	version      string
	log          *slog.Logger
	pace         *link.Pace
	bounds       bounds.Bounds
	life         *sequence.Life
	parents      *parents
	failover     siblings.Failover // nil: disabled
	siblingStore *siblings.Store   // nil if failover is nil
	returns      *returns.Forwarder
	offered      publications.Offered

	rescues    *logs.Rescues
	ownRescues bool // Metrics includes the counter

	tracer *tracing.Tracer
	trace  func(jid string) tracing.Carrier

	questions bool // republish the parents' questions about jobs
}

// New creates a forwarder, and its keys if they do not exist. It opens no connection.
func New(o Options) (*Syndic, error) {
	if o.Config == nil || o.Local == nil {
		return nil, errors.New("syndic: Config and Local are required")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	conf := o.Config.Local
	s := &Syndic{cfg: o.Config, local: o.Local, version: o.Version, log: o.Log, bounds: conf.Bounds.OrDefault(), questions: o.Questions, tracer: o.Tracer, trace: o.Trace}
	s.pace = link.DefaultPace(s.bounds.ForwardSweep)
	if s.rescues = o.Rescue; s.rescues == nil {
		s.rescues, s.ownRescues = logs.NewRescues(o.Log, nil), true
	}
	var err error
	if s.life, err = sequence.Begin(filepath.Join(conf.Cachedir, "syndic_order"), time.Now()); err != nil {
		s.log.Warn("message counter not saved, a clock set back may reorder messages", "err", err)
	}
	if conf.Rehome && o.Failover != nil {
		s.failover = o.Failover
		if s.siblingStore, err = siblings.OpenStore(conf.Cachedir); err != nil {
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

// openParents creates a parent for each entry of syndic_master.
func (s *Syndic) openParents() (*parents, error) {
	names := s.cfg.Upper.Master
	if len(names) == 0 {
		return nil, errors.New("syndic: no parent; set syndic_master in the master configuration")
	}
	conf := s.cfg.Local
	o, err := origins.Open(context.Background(), origins.Options{Local: s.local, Most: s.bounds.AskedJobs})
	if err != nil {
		return nil, err
	}
	p := &parents{
		origins: o, unrequested: origins.NewUnrequested(s.local.Jobs(), s.bounds.AskedJobs), closings: origins.NewClosings(s.bounds.AskedJobs, s.local.LastReport),
		shift: s.returns.Shift, parentID: s.local.Tree().ParentID, log: s.log,
	}
	p.sharing = returns.NewSharing(returns.SharingOptions[*parent]{After: conf.SyndicFailoverAfter, Back: conf.SyndicFailback, Moved: func(from, to *parent) {
		p.log.Warn("default parent for returns changed", "from", from.name, "to", to.name)
	}})
	seen := map[string]bool{}
	for _, name := range names {
		l, err := s.openParent(p, name, len(names) > 1, nil)
		if err == nil && seen[l.ch.Addr()] {
			err = errors.Join(fmt.Errorf("syndic_master: duplicate address %s", l.ch.Addr()), l.ch.Close())
		}
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		seen[l.ch.Addr()] = true
		for _, jid := range o.Pending(l.ch.Addr()) {
			l.returns.BackfillSoon(jid)
		}
		p.links = append(p.links, l)
	}
	if conf.SyndicFailover == "random" {
		rand.Shuffle(len(p.links), func(i, j int) { p.links[i], p.links[j] = p.links[j], p.links[i] })
	}
	return p, nil
}

// openParent creates one parent, which is not connected yet. visit configures the channel for a
// sibling of the parent; nil for a configured parent.
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
	p := &parent{name: name, host: c.Host, sibling: visit != nil, ch: ch, log: c.Log}
	p.Link = link.New(link.Options{
		Upper: s.cfg.Upper, Name: name, Channel: ch, Version: s.version, Tree: s.local.Tree(), Left: s.siblingStore.Left, Shift: s.returns.Shift,
		After: conf.SyndicFailoverAfter, Back: conf.SyndicFailback, Pace: s.pace, Rescues: s.rescues, Log: p.log,
	})
	p.events = events.New(events.Options{
		ID: id, Name: name, Parent: p, Local: s.local, Gather: conf.SyndicEventForwardTimeout, Bounds: s.bounds, Pace: s.pace,
		Numbers: s.life.Numbers(), Rescues: s.rescues, Log: p.log,
		Concerned: func(jid string) bool { return all.origins.Concerns(addr, jid) },
		Acked:     func(jid string, word uint64) bool { return all.closings.Has(jid, word, addr) },
		Ack: func(c jobevent.Closed) {
			if all.acked(p, c) {
				s.local.Reported(c.JID, c.Word)
			}
		},
	})
	p.returns = returns.New(returns.Options{
		ID: id, Name: name, Addr: addr, Parent: p, Outbox: s.local.Outbox(), Jobs: s.local.Jobs(), Origins: all.origins,
		Owns:   func(it returners.Item) bool { return all.owns(p, it) },
		Others: func(it returners.Item) []string { return all.others(p, it) },
		Tracer: s.tracer, Trace: s.trace, WakeDest: all.wake, Shifts: s.returns.Shifts, Config: conf, Bounds: s.bounds, Pace: s.pace, Rescues: s.rescues, Log: p.log,
	})
	p.siblings = siblings.New(siblings.Options{
		ID: id, Local: s.failover, Store: s.siblingStore, Sibling: p.sibling, Channel: ch, IsUp: p.IsUp, Pace: s.pace, Log: p.log,
	})
	p.publications = publications.New(publications.Options{
		ID: id, Channel: ch, Local: s.local, Offered: &s.offered,
		Learn: func(ctx context.Context, jid, masterID string) (first, second bool) {
			return all.learn(ctx, p, jid, masterID)
		},
		Asks:     func(jid string) []returners.Note { return all.asks(addr, jid) },
		Share:    func(jid string, tops []string, again bool) { all.share(p, jid, tops, again) },
		Backfill: p.returns.Backfill, BackfillSoon: p.returns.BackfillSoon, Push: p.events.Push, Answer: p.events.Answer, Request: p.Request, Siblings: p.siblings.Soon,
		Tracer: s.tracer, OwnMaster: conf.MasterID, Questions: s.questions, Remember: s.bounds.AskedJobs, Pace: s.pace, Log: p.log,
	})
	return p, nil
}

// openSibling creates a parent for a sibling of the only parent.
func (s *Syndic) openSibling(name string, visit func(*channel.Config) error) (*parent, error) {
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

// ID returns the id under which the parents know this node.
func (s *Syndic) ID() string { return s.cfg.Upper.ID }

// Run forwards both ways until ctx ends, then closes the connections. Errors of a parent do not end
// it: the local master works on without parents, and returns wait in the outbox.
func (s *Syndic) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, l := range s.parents.links {
		wg.Go(func() { l.run(ctx) })
	}
	if s.failover != nil && len(s.parents.links) == 1 {
		r := &rehomer{upper: s.cfg.Upper, store: s.siblingStore, parents: s.parents, returns: s.returns, open: s.openSibling, pace: s.pace, log: s.log}
		wg.Go(func() { r.run(ctx) })
	}
	l := &listener{conf: s.cfg.Local, bus: s.local.Bus(), parents: s.parents, flush: s.returns.Flush, pace: s.pace, log: s.log}
	wg.Go(func() { l.run(ctx) })
	wg.Go(func() { s.returns.Run(ctx) })
	wg.Wait()
	return s.Close()
}

// Close closes the connections of a Syndic that was never run.
func (s *Syndic) Close() error { return s.parents.close() }
