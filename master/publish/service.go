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

// Options of a [Service]. None may be left out.
type Options struct {
	Ctx    context.Context //nolint:containedctx // ends when the master begins to close
	Config *config.Master
	Access interface {
		Admit(p wire.PublishLoad, by access.By, calls []access.Call) (access.Permit, error)
		AdmitUser(p wire.PublishLoad, user string, rules []any, calls []access.Call) (access.Permit, error)
	}
	Policy interface {
		Match(tgt any, tgtType, delimiter string) (ownership.Audience, error)
		// Where gives the minions that a word of a target means which speaks of the tree.
		Where(letter, pattern string) ([]string, error)
		Aimed(jid, tgtType string, expr target.Expr)
		// Widened is Aimed for a job that is published to further minions; expr means all.
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
		// Expected tells who has to answer a job, as far as nodes have said.
		Expected(jid string) (engine.Expected, bool)
		Saved(s engine.Save, res returners.Result, err error)
		Published(p returners.Part)
		CountStored(ctx context.Context, jid string) error
	}
	// Room waits until the engine may say more, Booked until what it has said up to a number
	// is stored.
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
	// Sign puts the order of the top into a publication.
	Sign func(p *wire.Publication, extra *wire.Map, fromAbove bool) error
	// Own is the user of the master, JID gives the next job id.
	Own string
	JID func() string

	// Note stores notes. Show lays a job where Salt's programs look for it.
	Note func(ctx context.Context, notes ...returners.Note) error
	Show func(jid string, load wire.Raw, minions []string)
	// ShowGrown does so for one that has grown, with what is stored of it.
	ShowGrown func(jid string)
	// Below gives what a node right below has reported of itself and all behind it.
	Below func(id string) (topology.Node, bool)
	// Tree gives the tree from this master down.
	Tree func() topology.Node
	// Refused is told of what a user may not do, Audit of each job that is asked for here.
	Refused func(what, user, fun string)
	Audit   func(access.Asked)
	// Failing logs what is tried again while its cause lasts.
	Failing func(what string, err error, about ...any)
	// Fire tells the event bus.
	Fire func(tag string, data wire.Raw)
	Log  *slog.Logger
	Now  func() time.Time
}

// Service starts jobs. It is safe for concurrent use.
type Service struct {
	o        Options
	oneByOne keyedLocks // of jobs whose jid was given
}

// New makes one.
func New(o Options) *Service { return &Service{o: o} }

// Alone has nobody else give the job of a jid until the caller unlocks it.
func (s *Service) Alone(jid string) (unlock func()) { return s.oneByOne.Lock(jid) }

// PingAll publishes test.ping to everybody, without waiting for answers.
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

// Commands are those that start jobs.
func Commands() []server.Command { return commands.Commands() }

// Serve has a server take them.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
