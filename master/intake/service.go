package intake

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/signatures"
)

// Options of a [Service]. None may be left out.
type Options struct {
	Node         string // in the tree
	Depth        int    // how deep the values may nest that are taken
	Keys         *keyring.Ring
	Policy       *ownership.Policy
	Peers        *peers.Service
	Signatures   *signatures.Service
	Resources    *resources.Registry
	Publications *publications.Service
	Jobs         *engine.Engine
	Store        *jobstore.Store
	Server       *server.Server
	JIDs         *jid.Generator
	Bus          *bus.Bus
	Stats        *meters.Counters
	Tracer       *tracing.Tracer // nil: off
	Traces       *meters.TraceBook
	// Mask hides secrets in the arguments that returns and loads carry.
	Mask secrets.Masker
	// ReturnsADay and EventsADay bound the bytes that one minion brings in a day: of returns
	// that no open job waits for, and of events. 0: no bound.
	ReturnsADay, EventsADay int64
	// OtherRecord compares what a node says a job is with what is known of it.
	OtherRecord func(ctx context.Context, node, jid string, load wire.Raw)
	Log         *slog.Logger
	Now         func() time.Time
}

// Service takes returns and events. It is safe for concurrent use.
type Service struct {
	o     Options
	words sequence.Gate // of the nodes below

	returns, events             *DailyQuota
	refused, overQuota, unsaved recent
}

// New makes one.
func New(o Options) *Service {
	return &Service{o: o, returns: NewDailyQuota(o.ReturnsADay), events: NewDailyQuota(o.EventsADay)}
}

var commands server.Set[*Service]

// Commands are those by which minions and nodes bring what they have.
func Commands() []server.Command { return commands.Commands() }

// Serve has a server take them.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
