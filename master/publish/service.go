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
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Ctx    context.Context //nolint:containedctx // ends when the master begins to close
	Config *config.Master
	Own    string // user of the master
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
	}
	Peers interface {
		Minions(ids []string, await func(id string) bool) []engine.Minion
		Awaits(id string) bool
		Runs(id, jid string) bool
		LookAgain(spec engine.Job)
	}
	Publications interface {
		QueueUntil(p wire.PublishLoad, extra *wire.Map) (time.Time, error)
		Retain(p wire.Publication, topics []string, until time.Time) ([]byte, error)
		Published(p returners.Part) (first bool)
		DropPart(p returners.Part)
		// Kept returns the kept publications of a job.
		Kept(jid string) []retention.Record
		Send(p wire.Publication, topics []string, to *zmtp.Choice) error
	}
	// Jobs starts jobs in the engine.
	Jobs interface {
		// WaitRoom blocks while the engine's queue is full, WaitStored until records up to upTo
		// are stored.
		WaitRoom(ctx context.Context) error
		WaitStored(ctx context.Context, upTo uint64) error
		Publish(ctx context.Context, p engine.Publication) (s engine.Save, known bool, err error)
		Saved(s engine.Save, res returners.Result, err error)
		Published(p returners.Part)
	}
	// Accounts are those of the engine's jobs.
	Accounts interface {
		Known(ctx context.Context, jid string) (bool, error)
		// Expected returns the minions that must answer a job, as reported so far.
		Expected(jid string) (engine.Expected, bool)
		CountStored(ctx context.Context, jid string) error
	}
	Store interface {
		Local() returners.Reader
		Save(ctx context.Context, b returners.Batch) (returners.Result, error)
	}
	// Files writes jobs where Salt's programs look for them.
	Files interface {
		Job(jid string, load wire.Raw, minions []string)
		// Grown is Job for an extended job, from its stored state.
		Grown(jid string)
	}
	Tree interface {
		// Node returns the report of a node directly below.
		Node(id string) (topology.Node, bool)
		// Snapshot returns the tree from this master down.
		Snapshot() topology.Node
	}
	// Signatures adds the job signature of the top master to a publication.
	Signatures interface {
		SignJob(p *wire.Publication, extra *wire.Map, fromAbove bool) error
	}
	Tops   Tops // the cluster of this top; nil: none
	Traces interface {
		Received(jid string, at time.Time)
		Traced(jid string, c tracing.Carrier)
		Published(jid string, at time.Time)
	}
	Tracer *tracing.Tracer // nil: off

	// JID returns the next job id.
	JID func() string
	// Refused is called for a forbidden request, Audit for each request for a job, Trespassed for a
	// job that differs from the stored one.
	Refused    func(what, user, fun string)
	Audit      func(access.Asked)
	Trespassed func(ownership.Trespass)
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
