package syndic

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// Local is the master beside the forwarder.
type Local interface {
	// Bus delivers its events.
	Bus() *bus.Bus
	// Outbox holds what it owes upward.
	Outbox() returners.SharedOutbox
	// Jobs reads what this node itself has stored.
	Jobs() returners.Reader
	// Grown delivers a value when the outbox may have grown.
	Grown() <-chan struct{}
	// Tree is the tree from it down.
	Tree() *topology.Tree
	// OpenJobs lists the jobs of which a parent that was away may have missed
	// something: those that are open, and closed ones that not all parents which
	// asked have heard the end of; in the order of their jids, those behind one, at
	// most n.
	OpenJobs(after string, n int) []string
	// Word gives the number of the last word about such a job that is closed.
	Word(jid string) (word uint64, closed bool)
	// Story tells a job: who has to answer it, and who will not, in events that
	// speak of at most n minions each. After those of a closed job comes its
	// salt/job/<jid>/closed.
	Story(jid string, n int) iter.Seq[bus.Event]
	// Told ends that of a closed job: the masters above that asked for it have
	// taken all that was told of it up to its salt/job/<jid>/closed of that word.
	Told(jid string, word uint64)
	// Answer answers a question of a master above, for this node and all below.
	Answer(ctx context.Context, what string, arg wire.Raw) (any, error)
}

// Options of a [Syndic].
type Options struct {
	Config  *config.Syndic
	Local   Local
	Client  *client.Client // of the local master
	Version string         // of this program, told to the masters above
	Log     *slog.Logger   // nil: slog.Default
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
	client   *client.Client
	version  string
	log      *slog.Logger
	pace     pace
	bounds   bounds.Bounds
	life     *sequence.Life
	parents  *parents
	lodgings *lodgings
	returns  *forwarder

	rescues    *rescue.Counter
	ownRescues bool // the counter is told of by Metrics

	questions bool // hand on what masters above ask about jobs
}

// New reads or makes the keys. It opens no connection.
func New(o Options) (*Syndic, error) {
	if o.Config == nil || o.Local == nil || o.Client == nil {
		return nil, errors.New("syndic: the configuration, the local master and its client are needed")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Syndic{cfg: o.Config, local: o.Local, client: o.Client, version: o.Version, log: o.Log, pace: defaultPace(), bounds: o.Config.Local.Bounds.OrDefault(), questions: o.Questions}
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
	if s.lodgings, err = openLodgings(o.Config.Local.Cachedir); err != nil {
		s.log.Warn("What was known of the siblings of the master above is not used", "err", err)
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
