package master

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/bank"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/driver"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keyring"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/ports"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/restore"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/signatures"
	"github.com/momtree/mom/master/tops"
	"github.com/momtree/mom/master/tracer"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// Options of a [Master].
type Options struct {
	Config *config.Master
	// Parent is the outbox destination of what this master owes to the one
	// above; "" makes it a top. The forwarder of the same node empties it.
	Parent string
	// NodeID is what the masters above know this node by: the id under which its
	// forwarder signs in. "" means the id of Config, as at a top. Salt's two files
	// give them apart: without an id in the file master that one is NAME_master.
	NodeID  string
	Version string
	Log     *slog.Logger
	// Rescue counts what sweeps find that should have gone by itself. nil: one of
	// the master's own.
	Rescue *rescue.Counter
	// Now is the clock of stamps and ages; nil means time.Now.
	Now func() time.Time
	// Caller runs an execution function of this machine, for reactions of the type caller.
	// nil: they are refused.
	Caller func(ctx context.Context, fun string, args []any, kwargs *value.Map) error

	// running is the clock that nobody sets, by which ages are counted; nil: that of
	// the machine. A test with a Now of its own may have it go with that.
	running func() time.Duration
	// wrapStore lets a test stand between the master and its embedded store.
	wrapStore func(returners.JobStore) returners.JobStore
}

// Master is a running or startable master daemon.
type Master struct {
	cfg     *config.Master
	id      string // in events and job stores
	node    string // in the tree
	version string
	log     *slog.Logger
	now     func() time.Time
	ages    *age.Clock
	rescues *rescue.Counter

	ctx    context.Context // ends when Close begins
	cancel context.CancelFunc
	wg     sync.WaitGroup

	keys       *keyring.Ring
	access     *access.Control
	logins     *auth.Service // of external_auth
	audit      *access.Audit
	signatures *signatures.Service
	jids       *jid.Generator

	bus      *bus.Bus
	ipc      *bus.Server
	store    *jobstore.Store
	jobs     *jobs.Engine
	driver   *driver.Driver // carries out what the engine wants
	peers    *peers.Service // who is there
	tree     *topology.Tree
	data     *datacache.Cache
	bank     *bank.Store       // of runners
	policy   *ownership.Policy // who speaks for whom, whom a target means
	failover *failover.Service // nil: no minion moves
	reactor  *reactor.Reactor
	schedule *schedule.Loop
	pauses   *orchestrate.Pauses
	jobFiles *jobfiles.Folder // nil: not kept

	publisher    *publish.Service      // starts jobs
	publications *publications.Service // what goes out, and is kept
	intake       *intake.Service       // what minions and nodes bring
	below        *below.Service        // questions to nodes below
	restore      *restore.Service      // jobs of an earlier life
	mine         *mine.Service         // what minions give for others to see
	peerCalls    *peercall.Service     // what minions have others do
	tops         *tops.Tops            // states beside the top file

	parent string     // outbox destination of the one above; "": this is a top
	above  above.Link // to ask the one above

	server   *server.Server
	runners  *runners.Host
	traces   *tracer.Book
	stats    meters.Counters
	signedIn meters.SignIns
	failures logthrottle.Filter[[2]string] // by what failed, and the cause

	ports   *ports.Ports
	running []*bus.Holder // the marks for Salt's own programs

	unserved *commands.Unserved
	pillars  *pillar.Service

	files *files.Server
	inbox *files.Inbox // what minions push

	closeOnce sync.Once
	closeErr  error
}

// New opens the keys, the job store and the local sockets, and binds both
// ports. Requests wait for [Master.Run].
func New(o Options) (_ *Master, err error) {
	if o.wrapStore == nil {
		o.wrapStore = func(s returners.JobStore) returners.JobStore { return s }
	}
	m := &Master{cfg: o.Config, version: o.Version, log: o.Log, now: o.Now}
	if m.log == nil {
		m.log = slog.Default()
	}
	if m.now == nil {
		m.now = time.Now
	}
	if m.rescues = o.Rescue; m.rescues == nil {
		m.rescues = rescue.New(m.log, m.now)
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.id = masterID(o.Config)
	m.node = cmp.Or(o.NodeID, m.id)
	m.parent = o.Parent
	m.traces = tracer.NewBook()
	m.pauses = orchestrate.NewPauses(m.now)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	if err := m.vacant(); err != nil {
		return nil, err
	}
	m.unserved = commands.NewUnserved(m.log)
	m.unserved.Find(m.cfg)
	if err := m.openFolders(); err != nil {
		return nil, err
	}
	if err := m.openKeys(); err != nil {
		return nil, err
	}
	m.openServer()
	if err := m.openStore(o); err != nil {
		return nil, err
	}
	if err := m.openSaltTools(); err != nil {
		return nil, err
	}
	if err := m.openPillar(); err != nil {
		return nil, err
	}
	if err := m.openFiles(); err != nil {
		return nil, err
	}
	if err := m.openTops(); err != nil {
		return nil, err
	}
	if err := m.openReactor(o.Caller); err != nil {
		return nil, err
	}
	m.openSchedule()
	return m, m.bind()
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

// Rescues counts what sweeps of this master have found; the forwarder of the same
// node counts there as well.
func (m *Master) Rescues() *rescue.Counter { return m.rescues }

// Ports are the publish and the return port as bound.
func (m *Master) Ports() (publish, ret int) {
	return m.ports.Publish(), m.ports.Return()
}

// Close ends what is left and releases everything. It waits for requests at work.
func (m *Master) Close() error {
	m.closeOnce.Do(func() {
		m.cancel()
		var errs []error
		errs = append(errs, m.ports.Close())
		if m.files != nil { // requests may wait for it
			m.files.Close()
		}
		if m.server != nil {
			m.server.Close()
		}
		errs = append(errs, m.publications.Close())
		if m.jobs != nil {
			m.jobs.Close()
		}
		m.wg.Wait()
		if m.runners != nil {
			m.runners.Close()
		}
		errs = append(errs, m.peers.Close())
		if m.policy != nil {
			errs = append(errs, m.policy.Close())
		}
		errs = append(errs, m.failover.Close())
		if m.ipc != nil {
			errs = append(errs, m.ipc.Close())
		}
		if m.bus != nil {
			errs = append(errs, m.closeSaltTools())
			m.bus.Close()
		}
		if m.store != nil {
			errs = append(errs, m.store.Close())
		}
		if m.keys != nil {
			errs = append(errs, m.keys.Close())
		}
		m.closeErr = errors.Join(errs...)
	})
	return m.closeErr
}
