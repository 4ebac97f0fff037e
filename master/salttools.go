package master

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/returners"
)

// markSockets are sockets of Salt's master whose existence its programs check without using them:
// the command salt before it publishes, salt-api before each request (Salt wire reference §11.2).
var markSockets = []string{"publish_pull.ipc", "workers.ipc"}

// openSaltTools prepares what Salt's programs on this host need in addition to the event sockets
// and the user's key: the sockets that mark a running master, and the loads of jobs.
func (m *Master) openSaltTools() (err error) {
	for _, name := range markSockets {
		if m.cfg.IpcMode == "tcp" {
			break
		}
		//mutant:running-mark-is-a-directory
		h, err := bus.Hold(m.ctx, m.cfg.SockDir, name)
		if err != nil {
			return fmt.Errorf("mark the master as running: %w", err)
		}
		m.running = append(m.running, h)
	}
	if !m.cfg.JobCacheFiles || m.cacheName() != "" {
		return nil
	}
	m.jobFiles, err = jobfiles.Open(jobfiles.Options{
		Dir: filepath.Join(m.cfg.Cachedir, "jobs"), HashType: m.cfg.HashType, Keep: m.cfg.KeepJobsSeconds, Log: m.log,
		Age: m.ages.Now, Steady: m.ages.Steady, Busy: m.retained.Jobs,
	})
	return err
}

// closeSaltTools removes the marks, so that Salt's programs report at once that no master runs.
func (m *Master) closeSaltTools() (err error) {
	for _, h := range m.running {
		err = errors.Join(err, h.Close())
	}
	if err != nil {
		return fmt.Errorf("unmark the master: %w", err)
	}
	return nil
}

// checkAlone returns an error if another master, also Python's, runs on these folders. It runs
// before any change, which would replace the user key and the sockets of the other. Leftovers of a
// stopped master are not an error.
func (m *Master) checkAlone() error {
	c := m.cfg
	sockets := []bus.Socket{
		{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPubName, Port: c.TcpMasterPubPort},
		{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPullName, Port: c.TcpMasterPullPort},
	}
	for _, name := range markSockets {
		sockets = append(sockets, bus.Socket{Dir: c.SockDir, Name: name})
	}
	return bus.Vacant(m.ctx, sockets...)
}

// writeJobFile writes a job where Salt's programs look for it. Errors are logged: the job is in
// the job store.
func (m *Master) writeJobFile(jid string, load wire.Raw, minions []string) {
	if m.jobFiles == nil {
		return
	}
	if err := m.jobFiles.Save(jid, load, minions); err != nil {
		m.log.Warn("job load not written to the Salt job cache", "jid", jid, "err", err)
	}
}

// writeGrownJobFile does so soon for an extended job, from its stored state.
func (m *Master) writeGrownJobFile(jid string) {
	if m.jobFiles == nil {
		return
	}
	m.jobFiles.Soon(jid, func() {
		ctx, cancel := engine.WriteContext()
		defer cancel()
		load, ok, err := m.store.Local().GetLoad(ctx, jid)
		if !ok && err == nil {
			return
		}
		xs, errOf := m.store.Local().GetExpectations(ctx, jid)
		if err = errors.Join(err, errOf); err != nil {
			m.log.Warn("job load not written to the Salt job cache", "jid", jid, "err", err)
			return
		}
		m.writeJobFile(jid, load.Raw, ownMinions(xs))
	})
}

// ownMinions returns the stored direct minions of a job.
func ownMinions(xs []returners.Expectation) (ids []string) {
	for _, x := range xs {
		if x.Node == "" {
			ids = slices.AppendSeq(append(ids, x.Minions...), maps.Keys(x.Missing))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// writeReturnFile writes a return there if job_cache_returns is set.
func (m *Master) writeReturnFile(r *returners.Return) {
	if m.jobFiles == nil || !m.cfg.JobCacheReturns {
		return
	}
	if err := m.jobFiles.Return(r.JID, r.ID, r.Full); err != nil {
		m.log.Warn("return not written to the Salt job cache", "jid", r.JID, "minion", r.ID, "err", err)
	}
}
