package master

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/rendering"
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
	m.traces, m.tracer = meters.NewTraceBook(), o.Tracer
	m.pauses = orchestrate.NewPauses(m.now)
	m.engines = rendering.Engines{Config: m.cfg, Log: m.log}
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
	m.openBatches()
	m.joinEnv()
	return m, m.bind()
}

// Close stops the master and releases its resources. It waits for requests in progress.
func (m *Master) Close() error {
	m.closeOnce.Do(func() {
		m.cancel()
		var errs []error
		m.peers.Freeze()
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
		if m.batches != nil {
			m.batches.Close()
		}
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
		if m.jobFiles != nil {
			m.jobFiles.Close()
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
