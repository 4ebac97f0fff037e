package syndic

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sequence"
)

// Options of a [Syndic].
type Options struct {
	Config *config.Syndic
	Local  Local
	// Failover lets the minions of that master, and this node, move to siblings. nil, or
	// rehome: False: none moves.
	Failover Failover
	Version  string       // of this program, told to the masters above
	Log      *slog.Logger // nil: slog.Default
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
	local    Local
	version  string
	log      *slog.Logger
	pace     pace
	bounds   bounds.Bounds
	life     *sequence.Life
	parents  *parents
	failover Failover  // nil: nobody moves
	lodgings *lodgings // nil with it
	returns  *forwarder
	offered  offered

	rescues    *rescue.Counter
	ownRescues bool // the counter is told of by Metrics

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
	s := &Syndic{cfg: o.Config, local: o.Local, version: o.Version, log: o.Log, pace: defaultPace(), bounds: o.Config.Local.Bounds.OrDefault(), questions: o.Questions}
	s.pace.sweep = s.bounds.ForwardSweep
	if s.rescues = o.Rescue; s.rescues == nil {
		s.rescues, s.ownRescues = rescue.New(o.Log, nil), true
	}
	var err error
	if s.life, err = sequence.Begin(filepath.Join(o.Config.Local.Cachedir, "syndic_order"), time.Now()); err != nil {
		s.log.Warn("Words of an earlier life may be taken for newer ones if the clock was set back", "err", err)
	}
	if s.parents, err = openParents(s); err != nil {
		return nil, err
	}
	if o.Config.Local.Rehome && o.Failover != nil {
		s.failover = o.Failover
		if s.lodgings, err = openLodgings(o.Config.Local.Cachedir); err != nil {
			s.log.Warn("What was known of the siblings of the master above is not used", "err", err)
		}
	}
	s.returns = newForwarder(s)
	return s, nil
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
	wg.Go(func() { s.rehome(ctx) })
	wg.Go(func() { s.listen(ctx) })
	wg.Go(func() { s.returns.run(ctx) })
	wg.Wait()
	return s.Close()
}

// Close ends the connections. It is for a Syndic that is not run.
func (s *Syndic) Close() error { return s.parents.close() }
