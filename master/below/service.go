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
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/server"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Node, Version string // id and version of this master in the tree
	Own           string // user of the master
	Keys          *keyring.Ring
	Policy        *ownership.Policy
	Peers         *peers.Service
	Publications  *publications.Service
	Jobs          *engine.Engine
	Store         *jobstore.Store
	JIDs          *jid.Generator
	Traces        *meters.TraceBook
	Data          *datacache.Cache // data of this master's minions
	// Mine holds the mine entries of this master's minions; see package mine.
	Mine interface {
		Packed(id string, names []string) (*wire.Map, error)
		Clear(id string, names []string) (had bool, err error)
	}
	// Active returns the open jobs of this master and all below.
	Active func(ctx context.Context) (any, error)
	Log    *slog.Logger
}

// Service queries the nodes directly below and answers the master above. It is safe for concurrent
// use.
type Service struct {
	o    Options
	desk *nodecall.Desk
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{o: o}
	s.desk = nodecall.NewDesk(s.question)
	return s
}

var commands server.Set[*Service]

// Commands returns the command by which nodes answer.
func Commands() []server.Command { return commands.Commands() }

// Serve registers it on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
