package master

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/orchestrate"
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

// New opens the keys, the job store and the local sockets, and binds both
// ports. Requests wait for [Master.Run].
func New(o Options) (_ *Master, err error) {
	if o.wrapStore == nil {
		o.wrapStore = func(s returners.JobStore) returners.JobStore { return s }
	}
	m := &Master{self: self{cfg: o.Config, version: o.Version, log: o.Log, now: o.Now}}
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
