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

// Options configure a [Service]. All but Bounds are required.
type Options struct {
	// Bounds contains the share of one minion in the jobs and runners that the master waits for.
	Bounds bounds.Bounds
	Rules  *access.Peers
	// Own is the user of the master, who owns the jobs and runner calls.
	Own string
	// Publish starts a job for a minion; see [publish.Service.PublishPeer].
	Publish func(ctx context.Context, p wire.PublishLoad, peer string, rules []any) (*publish.Job, error)
	// State returns the account of a job.
	State func(jid string) (engine.Account, bool)
	// Results reads stored results, including those that stayed below.
	Results func(ctx context.Context) (returners.Reader, error)
	// Above asks the master above.
	Above interface {
		Connected() bool
		Call(ctx context.Context, load *wire.Map) (any, error)
	}
	// Owns reports whether a node directly below speaks for a minion.
	Owns func(node, id string) bool
	// Runners runs runner calls.
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
	// started are jobs that were started here and are unknown to the master above.
	started *lru.Map[string, struct{}]
	waiting admission.Turns
	shares  *admission.Shares // of minions
}

const (
	// maxStarted limits the jobs recorded as started here. For others the master above is asked,
	// too.
	maxStarted = 4096
	// maxWaiting limits the requests that wait for a job or a runner.
	maxWaiting = 64
	// nodesWait is how long nodes below may take to report the minions of a job.
	nodesWait = 3 * time.Second
)

// New returns a Service.
func New(o Options) *Service {
	b := o.Bounds.OrDefault()
	return &Service{o: o, shares: admission.NewShares(b.Share, b.ShareWaiting), started: lru.New[string, struct{}](maxStarted), waiting: admission.NewTurns(maxWaiting)}
}

// refuse reports a refused request.
func (s *Service) refuse(id, jid string, err error) {
	s.o.Trespassed(ownership.Trespass{Kind: ownership.OfPeer, Path: id, ID: id, JID: jid, Err: err})
}
