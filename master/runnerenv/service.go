package runnerenv

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/rendering"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/topology"
)

// Parts are the parts of a master that functions look at and work with.
type Parts struct {
	Ctx    context.Context // ends when the master does
	Config *config.Master
	ID     string // in events and job stores
	// JobCache names the job cache beside the embedded one; "": none.
	JobCache string

	Keys   *keyring.Ring
	Access *access.Control
	Logins *auth.Service
	Audit  *access.Audit

	JIDs         *jid.Generator
	Publisher    *publish.Service
	Publications *publications.Service
	Jobs         *engine.Engine
	Store        *jobstore.Store

	Tree     *topology.Tree
	Policy   *ownership.Policy
	Failover *failover.Service // nil: no minion moves
	Below    *below.Service

	Files   *files.Server
	Pillars *pillar.Service
	Data    *datacache.Cache
	Mine    *mine.Service

	Engines rendering.Engines
	Runners *runners.Host
	Wheels  wheels.Host
	Bank    *datacache.Banks
	Pauses  *orchestrate.Pauses
	Reactor *reactor.Reactor
	Batches *batches.Service

	Bus   *bus.Bus
	Fire  func(tag string, data *wire.Map)
	Stats *meters.Counters
	Ages  *timing.Clock
	Log   *slog.Logger
	Now   func() time.Time
}

// Service gives functions what they may see of a master. The zero value is ready to be
// handed to the parts that make calls; it needs [Service.Join] before the first call.
type Service struct{ p Parts }

// Join gives it the parts, once all of them are there.
func (s *Service) Join(p Parts) { s.p = p }

// As is the environment of the calls of a user of the machine.
func (s *Service) As(user string) Env { return s.For(access.Owner{Name: user}) }

// For is the environment of the calls of a user, who owns the jobs that they start.
func (s *Service) For(owner access.Owner) Env { return Env{&s.p, owner} }

// Functions are those of a master's own templates: [TemplateCalls], made as a user. They
// are told to the bus and kept in the job cache.
func (s *Service) Functions(user string) pillar.Callables { return functions{env: s.As(user)} }

// PillarFunctions are the same for pillars, of which one is rendered with each state of
// each minion: nobody is told.
func (s *Service) PillarFunctions(user string) pillar.Callables {
	return functions{env: s.As(user), quiet: true}
}
