package master

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/age"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/logthrottle"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/rendering"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/runnerenv"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/signatures"
	"github.com/momtree/mom/master/tops"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/topology"
)

// Master is a running or startable master daemon: the parts of a node, put together by
// [New]. What each of them knows of the others it is given when it is opened.
type Master struct {
	self
	life
	doors
	trust
	work
	around
	content
	calls
	figures
}

// self is who this master is, and what all of its parts use.
type self struct {
	cfg      *config.Master
	id       string // in events and job stores
	node     string // in the tree
	parent   string // outbox destination of the one above; "": this is a top
	version  string
	log      *slog.Logger
	leftOut  *config.LeftOut               // hears what is logged
	failures logthrottle.Filter[[2]string] // by what failed, and the cause
	now      func() time.Time
	ages     *age.Clock
	rescues  *rescue.Counter
}

// life is when it ends, and what has to end with it.
type life struct {
	ctx       context.Context // ends when Close begins
	cancel    context.CancelFunc
	wg        sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// doors are where it is reached: ports 4505 and 4506, and the local sockets.
type doors struct {
	ports    *server.Ports
	server   *server.Server
	bus      *bus.Bus
	ipc      *bus.Server
	running  []*bus.Holder // the marks for Salt's own programs
	unserved *commands.Unserved
}

// trust is who is believed, and who may do what.
type trust struct {
	keys       *keyring.Ring
	access     *access.Control
	logins     *auth.Service // of external_auth
	audit      *access.Audit
	signatures *signatures.Service
}

// work is the way of a job, from its publication to its last return.
type work struct {
	jids         *jid.Generator
	publisher    *publish.Service      // starts jobs
	publications *publications.Service // what goes out, and is kept
	intake       *intake.Service       // what minions and nodes bring
	jobs         *engine.Engine
	batches      *batches.Service
	store        *jobstore.Store
	jobFiles     *jobfiles.Folder // nil: not kept
	restore      *publish.Resumer // jobs of an earlier life
}

// around is the rest of the tree, as this master knows it.
type around struct {
	tree     *topology.Tree
	peers    *peers.Service    // who is there
	policy   *ownership.Policy // who speaks for whom, whom a target means
	failover *failover.Service // nil: no minion moves
	below    *below.Service    // questions to nodes below
	above    above.Link        // to ask the one above
}

// content is what minions are given, and what they give to keep.
type content struct {
	files   *files.Server
	inbox   *files.Inbox // what minions push
	pillars *pillar.Service
	tops    *tops.Tops // states beside the top file
	data    *datacache.Cache
	mine    *mine.Service // what minions give for others to see
	// resources are what minions of Salt 3008 manage
	resources *resources.Service
}

// calls are what is done here: by operators, minions, events and the clock.
type calls struct {
	env       runnerenv.Service // what they see of this master
	engines   rendering.Engines // of its own files
	runners   *runners.Host
	wheels    wheels.Host
	bank      *datacache.Banks    // of runners
	pauses    *orchestrate.Pauses // of orchestrations
	peerCalls *peercall.Service   // what minions have others do
	reactor   *reactor.Reactor
	schedule  *schedule.Loop
}

// figures are what metrics and traces are made of.
type figures struct {
	traces   *meters.TraceBook
	tracer   *tracing.Tracer // nil: off
	stats    meters.Counters
	signedIn meters.SignIns
	telling  sync.Mutex      // guards stale
	stale    map[string]bool // jobs that the tree shows as open for too long
}

// ID is the name of this master in the tree.
func (m *Master) ID() string { return m.node }

// Bus is the event bus, for the forwarder of the same node.
func (m *Master) Bus() *bus.Bus { return m.bus }

// Store is the job store, for the forwarder of the same node.
func (m *Master) Store() *jobstore.Store { return m.store }

// Tree is the tree from this master down.
func (m *Master) Tree() *topology.Tree { return m.tree }

// Above is the way up, for whoever puts a node together to connect the forwarder to.
func (m *Master) Above() *above.Link { return &m.above }

// Trace is the OpenTelemetry trace of a job, for the forwarder of the same node.
func (m *Master) Trace(jid string) tracing.Carrier { return m.traces.Trace(jid) }

// Rescues counts what sweeps of this master have found; the forwarder of the same
// node counts there as well.
func (m *Master) Rescues() *rescue.Counter { return m.rescues }

// Ports are the publish and the return port as bound.
func (m *Master) Ports() (publish, ret int) {
	return m.ports.Publish(), m.ports.Return()
}
