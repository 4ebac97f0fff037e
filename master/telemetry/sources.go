package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/timing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// Sources are the parts of a master that are read at a scrape. None may be nil.
type Sources struct {
	// Ctx ends what is still being read when the master ends.
	Ctx context.Context //nolint:containedctx // a scrape has none of its own
	Log *slog.Logger
	Now func() time.Time

	Stats    func() Stats
	Commands Commands
	SignIns  *SignIns
	Ledger   interface {
		Summaries(limit, names int) ([]engine.Summary, int)
	}
	Keys     interface{ Len(keys.State) int }
	Presence interface{ Peers() []presence.Peer }
	Tree     interface{ Snapshot() topology.Node }
	Store    interface {
		Stats(ctx context.Context) (jobstore.Stats, error)
	}
	Ages interface {
		Look() (timing.Jump, bool)
		Jumps() uint64
	}
	Bus interface{ Stats() bus.Stats }
	IPC interface{ Stats() bus.ServerStats }
}

// Collect reads all of them.
func (c Sources) Collect(s *metrics.Sink) {
	st := c.Stats()
	st.collect(s)
	_, open := c.Ledger.Summaries(0, 0)
	s.Set("mom_jobs_open", float64(open))
	c.SignIns.collect(s)
	c.Commands.collect(s)
	c.collectPeers(s)
	collectTree(s, c.Tree.Snapshot())
	c.collectStore(s)
	collectSocket(s, "router", st.Router.HostStats)
	collectSocket(s, "pub", st.Pub.HostStats)
	metrics.CollectBus(s, c.Bus.Stats(), c.IPC.Stats())
}
