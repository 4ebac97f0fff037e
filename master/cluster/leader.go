package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

const (
	// leaseFor is the length of the lease, leaseEvery how often it is renewed.
	leaseFor   = 15 * time.Second
	leaseEvery = 5 * time.Second
	// leaseMargin ends the work of a leader before another top can begin.
	leaseMargin = time.Second
	// leaseName is the lease of the top that runs schedules and reactions.
	leaseName = "leader/"
)

// LeaderOptions configures a [Leader]. All fields but Fixed are required.
type LeaderOptions struct {
	Cluster string // cluster_id
	Node    string // id of this top
	// Fixed is cluster_leader: the id of the top that always leads; "": the lease decides.
	Fixed string
	// Store returns the shared store, or nil while it is not open or if it grants no leases.
	Store func() returners.Leaser
	Log   *slog.Logger
}

// Leader decides which top of a cluster runs scheduled jobs and reactions: one at a time. It is safe
// for concurrent use. The nil Leader always leads.
type Leader struct {
	o LeaderOptions

	mu    sync.Mutex
	until time.Time // end of the lease, by the monotonic clock; zero: not held
	leads bool      // as last logged
	why   string    // last logged error
}

// NewLeader returns a Leader. Run acquires the lease.
func NewLeader(o LeaderOptions) *Leader { return &Leader{o: o} }

// Leads reports whether this top may begin scheduled jobs and reactions now.
func (l *Leader) Leads() bool {
	if l == nil {
		return true
	}
	if l.o.Fixed != "" {
		return l.o.Fixed == l.o.Node
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	//mutant:leader-holds-the-lease
	return time.Now().Before(l.until)
}

// Run keeps the lease until ctx ends, then gives it up.
func (l *Leader) Run(ctx context.Context) {
	if l.o.Fixed != "" {
		return
	}
	for {
		l.renew(ctx, leaseFor)
		if timing.Sleep(ctx, leaseEvery) != nil {
			break
		}
	}
	l.mu.Lock()
	held := !l.until.IsZero()
	l.until = time.Time{}
	l.mu.Unlock()
	if held {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseEvery)
		defer cancel()
		l.renew(after, 0)
	}
}

// renew acquires or renews the lease, or gives it up with a ttl of 0.
func (l *Leader) renew(ctx context.Context, ttl time.Duration) {
	store := l.o.Store()
	if store == nil {
		return
	}
	began := time.Now()
	ask, cancel := context.WithTimeout(ctx, leaseEvery)
	defer cancel()
	held, _, err := store.Lease(ask, leaseName+l.o.Cluster, l.o.Node, ttl)
	if ctx.Err() != nil || ttl == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	why := ""
	switch {
	case err != nil: // the lease stands until its end
		why = err.Error()
	case held:
		l.until = began.Add(ttl - leaseMargin) // it was granted after began
	default:
		l.until = time.Time{}
	}
	if why != "" && why != l.why {
		l.o.Log.Warn("lease of the leading top not renewed", "err", err)
	}
	l.why = why
	if leads := time.Now().Before(l.until); leads != l.leads {
		l.leads = leads
		l.o.Log.Info("leading top changed", "leads", leads)
	}
}
