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
	"github.com/momtree/mom/master/cluster"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/topology"
)

// Options configures a [Service]: the parts of a master that functions read and change. All fields are
// required unless they say otherwise.
type Options struct {
	Master
	Access
	JobParts
	TreeParts
	Content
	Automation
}

// Master is the master itself.
type Master struct {
	Ctx    context.Context //nolint:containedctx // ends when the master does
	Config *config.Master
	ID     string // in events and job stores
	Bus    *bus.Bus
	Fire   func(tag string, data *wire.Map)
	Stats  *telemetry.Counters
	Ages   *timing.Clock
	Log    *slog.Logger
	Now    func() time.Time
}

// Access decides who may do what.
type Access struct {
	Keys    *keys.Ring
	Control *access.Control
	Logins  *auth.Service
	Audit   *access.Audit
}

// JobParts handle jobs.
type JobParts struct {
	JIDs         *jid.Generator
	Publisher    *publish.Service
	Publications *publications.Service
	Jobs         *engine.Engine
	Store        *jobstore.Store
	Batches      *batches.Service
	// JobCache names the additional job cache; may be "".
	JobCache string
}

// TreeParts hold the rest of the tree.
type TreeParts struct {
	Tree     *topology.Tree
	Policy   *ownership.Policy
	Failover *failover.Service // nil: minions do not move
	Below    *below.Service
	Cluster  *cluster.Service // nil: no other tops
}

// Content holds what the master serves to minions, and their data.
type Content struct {
	Files   *files.Server
	Pillars *pillar.Service
	Data    *datacache.Cache
	Mine    *mine.Service
	Bank    *datacache.Banks
	Engines pillar.Engines
}

// Automation runs functions on the master.
type Automation struct {
	Calls    *runners.Calls
	Wheels   wheels.Host
	Pauses   *orchestrate.Pauses
	Reactors *reactor.Table
	Causes   *reactor.Causes
}

// Service holds the parts of a master for its functions. It starts runner calls with an [Env].
type Service struct {
	o       Options
	runners *runners.Host
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{o: o}
	s.runners = runners.NewHost(o.Calls, func(owner access.Owner) runners.Env { return s.For(owner) })
	return s
}

// Runners returns the host of runner calls.
func (s *Service) Runners() *runners.Host { return s.runners }

// As returns the Env for calls of a user of the machine.
func (s *Service) As(user string) Env { return s.For(access.Owner{Name: user}) }

// For returns the Env for calls of a user, who owns the jobs that they start.
func (s *Service) For(owner access.Owner) Env { return Env{s: s, p: &s.o, owner: owner} }

// Functions returns the functions for the master's own templates, [TemplateCalls], called as a
// user. They fire events and are stored in the job cache.
func (s *Service) Functions(user string) pillar.Callables { return functions{env: s.As(user)} }

// PillarFunctions returns the same functions for pillars, without events: a pillar is rendered with
// each state run of each minion.
func (s *Service) PillarFunctions(user string) pillar.Callables {
	return functions{env: s.As(user), quiet: true}
}
