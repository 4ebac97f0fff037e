package peercall

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
)

// Options of a [Service]. None may be left out but Bounds.
type Options struct {
	// Bounds has the share of one minion in jobs and runners that are waited for.
	Bounds bounds.Bounds
	Rules  *access.Peers
	// Own is the user of the master, in whose name jobs and runners are.
	Own string
	// Publish starts a job for a minion; see [publish.Service.PublishPeer].
	Publish func(ctx context.Context, p wire.PublishLoad, peer string, rules []any) (*publish.Job, error)
	// State gives the account of a job.
	State func(jid string) (engine.Account, bool)
	// Results reads what is stored of jobs, with results that stayed below.
	Results func(ctx context.Context) (returners.Reader, error)
	// Above asks the master above.
	Above interface {
		Connected() bool
		Call(ctx context.Context, load *wire.Map) (any, error)
	}
	// Owns tells whether a node right below speaks for a minion.
	Owns func(node, id string) bool
	// Runners has runners run.
	Runners interface {
		Do(ctx context.Context, b runners.Bound, s runners.Start) (any, error)
	}
	JID        func() string
	Bus        *bus.Bus
	Audit      func(access.Asked)
	Trespassed func(ownership.Trespass)
	Log        *slog.Logger
}

// Service serves minions. It is safe for concurrent use.
type Service struct {
	o Options
	// started are jobs that were started here, of which the master above knows nothing.
	started *lru.Map[string, struct{}]
	waiting admission.Turns
	shares  *admission.Shares // of minions
}

const (
	// maxStarted bounds the jobs that are known to have been started here. Of one that is
	// not known the master above is asked as well.
	maxStarted = 4096
	// maxWaiting bounds the requests that have the master wait for a job or a runner.
	maxWaiting = 64
	// nodesWait is how long the nodes below may take to say who has to answer a job.
	nodesWait = 3 * time.Second
)

// New makes one.
func New(o Options) *Service {
	b := o.Bounds.OrDefault()
	return &Service{o: o, shares: admission.NewShares(b.Share, b.ShareWaiting), started: lru.New[string, struct{}](maxStarted), waiting: admission.NewTurns(maxWaiting)}
}

// refuse tells of what a minion may not do.
func (s *Service) refuse(id, jid string, err error) {
	s.o.Trespassed(ownership.Trespass{Kind: ownership.OfPeer, Path: id, ID: id, JID: jid, Err: err})
}
