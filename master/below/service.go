package below

import (
	"context"
	"log/slog"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Node, Version string // id and version of this master in the tree
	Own           string // user of the master
	Keys          *keys.Ring
	Policy        *ownership.Policy
	Presence      *presence.Registry
	Publications  *publications.Service
	Jobs          *engine.Engine
	Store         *jobstore.Store
	JIDs          *jid.Generator
	Traces        *telemetry.TraceBook
	Data          *datacache.Cache // data of this master's minions
	Resources     *resources.Registry
	// Mine holds the mine entries of this master's minions; see package mine.
	Mine interface {
		Packed(id string, names []string) (*wire.Map, error)
		Clear(id string, names []string) (had bool, err error)
	}
	Log *slog.Logger
}

// Service queries the nodes directly below and answers the master above. It is safe for concurrent
// use.
type Service struct {
	o         Options
	questions *nodecall.Questions
	handlers  map[string]Handler // by question
}

// Handler answers a question of the master above, for this node and all below.
type Handler func(ctx context.Context, arg wire.Raw) (any, error)

// New returns a Service.
func New(o Options) *Service {
	s := &Service{o: o}
	s.questions = nodecall.NewQuestions(s.question)
	s.handlers = map[string]Handler{
		publications.AskQueued:  func(ctx context.Context, _ wire.Raw) (any, error) { return o.Publications.AnswerQueued(ctx, s) },
		publications.AskDequeue: func(ctx context.Context, arg wire.Raw) (any, error) { return o.Publications.AnswerDequeue(ctx, s, arg) },
		askTrace:                s.answerTrace,
		askBodies:               s.answerBodies,
		askData:                 s.answerData,
	}
	return s
}

// Handle registers the handler of a question. All are registered before the first question.
func (s *Service) Handle(what string, h Handler) { s.handlers[what] = h }

var commands server.Set[*Service]

// Commands returns the command by which nodes answer.
func Commands() []server.Command { return commands.Commands() }

// Serve registers it on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
