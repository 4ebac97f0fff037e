package master

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/cluster"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/runnerenv"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/master/tops"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/topology"
)

// Master is a master daemon. [New] creates its parts and passes each the others it needs.
type Master struct {
	identity
	lifetime
	listeners
	accessParts
	jobParts
	treeParts
	contentParts
	callParts
	observability
}

// identity holds the names of this master and what all parts use.
type identity struct {
	cfg      *config.Master
	id       string // id in events and job stores
	node     string // name in the tree
	parent   string // outbox destination of the master above; "": top
	version  string
	log      *slog.Logger
	leftOut  *config.LeftOut          // fed by the log handler
	failures logs.Throttle[[2]string] // by message and cause
	now      func() time.Time
	ages     *timing.Clock
	rescues  *logs.Rescues
}

// lifetime holds what ends with the master.
type lifetime struct {
	ctx       context.Context // canceled by Close
	cancel    context.CancelFunc
	wg        sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// listeners holds ports 4505 and 4506 and the local sockets.
type listeners struct {
	ports    *server.Ports
	server   *server.Server
	bus      *bus.Bus
	ipc      *bus.Server
	running  []*bus.Holder // sockets that mark a running master for Salt's programs
	unserved *commands.Unserved
}

// accessParts decide who may do what.
type accessParts struct {
	keys       *keys.Ring
	access     *access.Control
	logins     *auth.Service // external_auth
	audit      *access.Audit
	signatures *keys.Signatures
}

// jobParts handle a job from publication to last return.
type jobParts struct {
	jids         *jid.Generator
	publisher    *publish.Service      // starts jobs
	publications *publications.Service // sends and keeps publications
	intake       *intake.Service       // receives returns and events
	jobs         *engine.Engine
	batches      *batches.Service
	store        *jobstore.Store
	jobFiles     *jobfiles.Folder // nil: off
	jobWriter    *jobfiles.Writer
	restore      *publish.Resumer // restores open jobs
	journal      *retention.Journal
	retained     *jobstore.Retained // jobs that no clean-up removes
}

// treeParts hold the rest of the tree.
type treeParts struct {
	tree     *topology.Tree
	presence *presence.Registry // who is connected
	peers    *peers.Service     // keeps presence up to date
	policy   *ownership.Policy  // who may report for whom; target matching
	guests   *failover.State    // nil: rehome is off
	failover *failover.Service  // nil with guests
	below    *below.Service     // queries to nodes below
	above    above.Link         // queries to the master above
	cluster  *cluster.Service   // nil: no other tops
	leader   *cluster.Leader    // nil with cluster
}

// contentParts serve content to minions and store theirs.
type contentParts struct {
	files   *files.Server
	inbox   *files.Inbox // files pushed by minions
	pillars *pillar.Service
	tops    *tops.Tops // master_tops
	data    *datacache.Cache
	entries *mine.Entries // of the mine
	mine    *mine.Service // data that minions share
	// resources of Salt 3008 minions
	resources *resources.Registry
}

// callParts run functions on the master.
type callParts struct {
	env       *runnerenv.Service // their view of this master
	engines   pillar.Engines     // for the master's own files
	templates *pillar.Extra      // functions of pillar templates
	calls     *runners.Calls     // runner calls in progress
	runners   *runners.Host
	wheels    wheels.Host
	bank      *datacache.Banks    // of runners
	pauses    *orchestrate.Pauses // of orchestrations
	peerCalls *peercall.Service   // calls of minions to others
	reactors  *reactor.Table
	causes    *reactor.Causes
	reactor   *reactor.Reactor
	schedule  *schedule.Loop
}

// observability holds metrics and traces.
type observability struct {
	traces     *telemetry.TraceBook
	tracer     *tracing.Tracer // nil: off
	stats      telemetry.Counters
	signedIn   telemetry.SignIns
	problemsMu sync.Mutex      // guards stale
	stale      map[string]bool // jobs reported as stale

	clusterProblems map[string]bool // reported subjects of the cluster; guarded by problemsMu
}

// ID returns the name of this master in the tree.
func (m *Master) ID() string { return m.node }

// Bus returns the event bus.
func (m *Master) Bus() *bus.Bus { return m.bus }

// Store returns the job store.
func (m *Master) Store() *jobstore.Store { return m.store }

// Tree returns the tree from this master down.
func (m *Master) Tree() *topology.Tree { return m.tree }

// Above returns the link to the master above, to which the forwarder is connected.
func (m *Master) Above() *above.Link { return &m.above }

// Trace returns the OpenTelemetry trace of a job.
func (m *Master) Trace(jid string) tracing.Carrier { return m.traces.Trace(jid) }

// Rescues returns the counter of what sweeps had to repair, shared with the forwarder.
func (m *Master) Rescues() *logs.Rescues { return m.rescues }

// Ports returns the bound publish and return ports.
func (m *Master) Ports() (publish, ret int) {
	return m.ports.Publish(), m.ports.Return()
}
