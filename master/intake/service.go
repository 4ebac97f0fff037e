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
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Node         string // id of this node in the tree
	Depth        int    // maximum nesting of values
	Keys         *keys.Ring
	Policy       *ownership.Policy
	Peers        *peers.Service
	Signatures   *keys.Signatures
	Resources    *resources.Registry
	Publications *publications.Service
	Jobs         *engine.Engine
	Store        *jobstore.Store
	Server       *server.Server
	JIDs         *jid.Generator
	Bus          *bus.Bus
	Stats        *telemetry.Counters
	Tracer       *tracing.Tracer // nil: off
	Traces       *telemetry.TraceBook
	// Mask masks secrets in the arguments of returns and loads.
	Mask secrets.Masker
	// ReturnsADay bounds the bytes per minion and day of returns that no open job expects,
	// EventsADay those of events. 0: unlimited.
	ReturnsADay, EventsADay int64
	// OtherRecord compares a node's load of a job with the stored one.
	OtherRecord func(ctx context.Context, node, jid string, load wire.Raw)
	Log         *slog.Logger
	Now         func() time.Time
}

// Service receives returns and events. It is safe for concurrent use.
type Service struct {
	o    Options
	gate sequence.Gate // orders the reports of each node

	returns, events             *DailyQuota
	refused, overQuota, unsaved recent
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{o: o, returns: NewDailyQuota(o.ReturnsADay), events: NewDailyQuota(o.EventsADay)}
}

var commands server.Set[*Service]

// Commands returns the commands for returns and events.
func Commands() []server.Command { return commands.Commands() }

// Serve registers the commands on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
