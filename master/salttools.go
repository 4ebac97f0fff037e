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

// marks are sockets of Salt's own master for which its programs look, and which they do
// not use: the command salt before it publishes, salt-api before each request (Salt wire
// reference §11.2).
var marks = []string{"publish_pull.ipc", "workers.ipc"}

// openSaltTools prepares what Salt's programs on this host need beside the event
// sockets and the user's key: a mark that the master runs, and the loads of jobs.
func (m *Master) openSaltTools() (err error) {
	for _, name := range marks {
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
		Age: m.ages.Now, Steady: m.ages.Steady, Busy: m.busy,
	})
	return err
}

// closeSaltTools takes the marks away: Salt's programs then say at once that no
// master runs.
func (m *Master) closeSaltTools() (err error) {
	for _, h := range m.running {
		err = errors.Join(err, h.Close())
	}
	if err != nil {
		return fmt.Errorf("unmark the master: %w", err)
	}
	return nil
}

// vacant sees to it that no other master runs on these folders, Python's included,
// before anything in them is changed: the key of the user, which commands of the
// other one would find replaced, and the sockets that they go to. What a master that
// is gone has left is no obstacle, whoever it was.
func (m *Master) vacant() error {
	c := m.cfg
	sockets := []bus.Socket{
		{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPubName, Port: c.TcpMasterPubPort},
		{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPullName, Port: c.TcpMasterPullPort},
	}
	for _, name := range marks {
		sockets = append(sockets, bus.Socket{Dir: c.SockDir, Name: name})
	}
	return bus.Vacant(m.ctx, sockets...)
}

// showJob lays a job where Salt's programs look for it. The job goes on without:
// its own place is the job store.
func (m *Master) showJob(jid string, load wire.Raw, minions []string) {
	if m.jobFiles == nil {
		return
	}
	if err := m.jobFiles.Save(jid, load, minions); err != nil {
		m.log.Warn("job load not written to the Salt job cache", "jid", jid, "err", err)
	}
}

// showGrown has a job that has grown laid there with what is stored of it by then.
func (m *Master) showGrown(jid string) {
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
		m.showJob(jid, load.Raw, ownOf(xs))
	})
}

// ownOf lists the minions of this master that a job means, by what is stored.
func ownOf(xs []returners.Expectation) (ids []string) {
	for _, x := range xs {
		if x.Node == "" {
			ids = slices.AppendSeq(append(ids, x.Minions...), maps.Keys(x.Missing))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// showReturn lays a return there, if job_cache_returns says so.
func (m *Master) showReturn(r *returners.Return) {
	if m.jobFiles == nil || !m.cfg.JobCacheReturns {
		return
	}
	if err := m.jobFiles.Return(r.JID, r.ID, r.Full); err != nil {
		m.log.Warn("return not written to the Salt job cache", "jid", r.JID, "minion", r.ID, "err", err)
	}
}
