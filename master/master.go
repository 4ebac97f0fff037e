package master

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/returners"
)

// New opens the keys, the job store and the sockets, and binds both ports. Requests wait until
// [Master.Run].
func New(o Options) (_ *Master, err error) {
	if o.wrapStore == nil {
		o.wrapStore = func(s returners.JobStore) returners.JobStore { return s }
	}
	m := &Master{identity: identity{cfg: o.Config, version: o.Version, log: o.Log, now: o.Now}}
	if m.log == nil {
		m.log = slog.Default()
	}
	m.leftOut = config.NewLeftOut(m.log.Handler())
	m.log = slog.New(m.leftOut)
	if m.now == nil {
		m.now = time.Now
	}
	if m.rescues = o.Rescue; m.rescues == nil {
		m.rescues = logs.NewRescues(m.log, m.now)
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.id = masterID(o.Config)
	m.node = cmp.Or(o.NodeID, m.id)
	m.parent = o.Parent
	m.traces, m.tracer = telemetry.NewTraceBook(), o.Tracer
	m.pauses = orchestrate.NewPauses(m.now)
	m.engines = pillar.Engines{Config: m.cfg, Log: m.log}
	m.bus = bus.NewBus(bus.Options{Now: m.now, MaxEventSize: m.cfg.MaxEventSize})
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
		}
	}()
	//mutant:live-master-is-noticed
	if err := m.checkAlone(); err != nil {
		return nil, err
	}
	m.unserved = commands.NewUnserved(m.log)
	m.unserved.Find(m.cfg)
	// Each step uses the parts of the steps above it only.
	for _, open := range []func() error{
		m.openFolders,
		m.openKeys,
		m.openAccess,
		func() error { return m.openStore(o) },
		m.openTree,
		m.openPolicy,
		m.openEngine,
		m.openPublications,
		m.openBelow,
		m.openFailover,
		m.openPeers,
		m.openSaltTools,
		m.openCluster,
		m.openPublisher,
		m.openContent,
		m.openCalls,
		func() error { return m.openReactor(o.Caller) },
		m.bind,
	} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Close stops the master and releases its resources. It waits for requests in progress.
func (m *Master) Close() error {
	m.closeOnce.Do(func() {
		m.cancel()
		var errs []error
		m.peers.Freeze()
		if m.ports != nil {
			errs = append(errs, m.ports.Close())
		}
		if m.files != nil { // requests may wait for it
			m.files.Close()
		}
		if m.server != nil {
			m.server.Close()
		}
		if m.publications != nil {
			m.publications.Close()
		}
		if m.jobs != nil {
			m.jobs.Close()
		}
		m.wg.Wait()
		if m.batches != nil {
			m.batches.Close()
		}
		if m.calls != nil {
			m.calls.Close()
		}
		if m.cluster != nil {
			errs = append(errs, m.cluster.Close())
		}
		errs = append(errs, m.peers.Close())
		if m.policy != nil {
			errs = append(errs, m.policy.Close())
		}
		errs = append(errs, m.guests.Close())
		if m.ipc != nil {
			errs = append(errs, m.ipc.Close())
		}
		if m.data != nil {
			errs = append(errs, m.data.Close())
		}
		errs = append(errs, m.closeSaltTools())
		m.bus.Close()
		if m.jobFiles != nil {
			m.jobFiles.Close()
		}
		if m.journal != nil {
			errs = append(errs, m.journal.Close())
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
