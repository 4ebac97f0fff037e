package publish

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Ctx    context.Context //nolint:containedctx // ends when the master begins to close
	Config *config.Master
	Access interface {
		Admit(p wire.PublishLoad, by access.By, calls []access.Call) (access.Permit, error)
		AdmitUser(p wire.PublishLoad, user string, rules []any, calls []access.Call) (access.Permit, error)
	}
	Policy interface {
		Match(tgt any, tgtType, delimiter string) (ownership.Audience, error)
		// Where returns the minions matched by a word of a target about the tree.
		Where(letter, pattern string) ([]string, error)
		Aimed(jid, tgtType string, expr target.Expr)
		// Widened is Aimed for an extended job; expr matches all its minions.
		Widened(jid, tgtType string, expr target.Expr)
		Conns(nodes []string) map[uint64]bool
		Trespassed(t ownership.Trespass)
	}
	Peers interface {
		Minions(ids []string, await func(id string) bool) []engine.Minion
		Awaits(id string) bool
		LookAgain(spec engine.Job)
	}
	Publications interface {
		QueueUntil(p wire.PublishLoad, extra *wire.Map) (time.Time, error)
		Retain(p wire.Publication, topics []string, until time.Time) ([]byte, error)
		Published(p returners.Part) (first bool)
		DropPart(p returners.Part)
		Send(p wire.Publication, topics []string, to *zmtp.Choice) error
	}
	Jobs interface {
		Publish(ctx context.Context, p engine.Publication) (s engine.Save, known bool, err error)
		Known(ctx context.Context, jid string) (bool, error)
		// Expected returns the minions that must answer a job, as reported so far.
		Expected(jid string) (engine.Expected, bool)
		Saved(s engine.Save, res returners.Result, err error)
		Published(p returners.Part)
		CountStored(ctx context.Context, jid string) error
	}
	// Room blocks while the engine's queue is full; Booked blocks until records up to upTo are
	// stored.
	Room   func(ctx context.Context) error
	Booked func(ctx context.Context, upTo uint64) error
	Store  interface {
		Local() returners.Reader
		Save(ctx context.Context, b returners.Batch) (returners.Result, error)
	}
	Traces interface {
		Received(jid string, at time.Time)
		Traced(jid string, c tracing.Carrier)
		Published(jid string, at time.Time)
	}
	Tracer *tracing.Tracer // nil: off
	// Sign adds the job signature of the top master to a publication.
	Sign func(p *wire.Publication, extra *wire.Map, fromAbove bool) error
	// Own is the user of the master; JID returns the next job id.
	Own string
	JID func() string

	// Note stores notes. Show writes a job where Salt's tools look for it.
	Note func(ctx context.Context, notes ...returners.Note) error
	Show func(jid string, load wire.Raw, minions []string)
	// ShowGrown is Show for an extended job, from its stored state.
	ShowGrown func(jid string)
	// Below returns the report of a node directly below.
	Below func(id string) (topology.Node, bool)
	// Tree returns the tree from this master down.
	Tree func() topology.Node
	// Refused is called for a forbidden request, Audit for each request for a job.
	Refused func(what, user, fun string)
	Audit   func(access.Asked)
	// Failing logs an error that will be retried.
	Failing func(what string, err error, about ...any)
	// Fire fires an event.
	Fire func(tag string, data wire.Raw)
	Log  *slog.Logger
	Now  func() time.Time
}

// Service starts jobs. It is safe for concurrent use.
type Service struct {
	o     Options
	locks keyedLocks // by jid, if the request has one
}

// New returns a Service.
func New(o Options) *Service { return &Service{o: o} }

// LockJID locks a job id until the caller unlocks it. It may block.
func (s *Service) LockJID(jid string) (unlock func()) { return s.locks.Lock(jid) }

// PingAll publishes test.ping to all minions. It does not wait for returns.
func (s *Service) PingAll() error {
	fun, err := wire.Encode("test.ping")
	if err != nil {
		return err
	}
	tgt, err := wire.Encode("*")
	if err != nil {
		return err
	}
	j, err := s.Read(wire.PublishLoad{Tgt: tgt, TgtType: "glob", Fun: fun, Arg: wire.Raw{0x90}, User: s.o.Own}, true)
	if err != nil {
		return err
	}
	return s.Start(s.o.Ctx, j)
}

var commands server.Set[*Service]

// Commands returns the commands that start jobs.
func Commands() []server.Command { return commands.Commands() }

// Serve registers the commands on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
