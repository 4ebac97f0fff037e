package master

import (
	"fmt"
	"path/filepath"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobfiles"
)

// publishPull is a socket of Salt's own master. Salt's command salt looks whether
// it exists before it publishes, and does not use it (Salt wire reference §11.2).
const publishPull = "publish_pull.ipc"

// workers is a socket of Salt's own master, too; nobody looks for it here.
const workers = "workers.ipc"

// openSaltTools prepares what Salt's programs on this host need beside the event
// sockets and the user's key: a mark that the master runs, and the loads of jobs.
func (m *Master) openSaltTools() (err error) {
	if m.cfg.IpcMode != "tcp" {
		if m.running, err = bus.Hold(m.ctx, m.cfg.SockDir, publishPull); err != nil {
			return fmt.Errorf("mark the master as running: %w", err)
		}
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

// closeSaltTools takes the mark away: Salt's command then says at once that no
// master runs.
func (m *Master) closeSaltTools() error {
	if m.running == nil {
		return nil
	}
	if err := m.running.Close(); err != nil {
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
	return bus.Vacant(m.ctx,
		bus.Socket{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPubName, Port: c.TcpMasterPubPort},
		bus.Socket{Mode: c.IpcMode, Dir: c.SockDir, Name: bus.MasterPullName, Port: c.TcpMasterPullPort},
		bus.Socket{Dir: c.SockDir, Name: publishPull},
		bus.Socket{Dir: c.SockDir, Name: workers},
	)
}

// showJob lays a job where Salt's programs look for it. The job goes on without:
// its own place is the job store.
func (m *Master) showJob(jid string, load wire.Raw, minions []string) {
	if m.jobFiles == nil {
		return
	}
	if err := m.jobFiles.Save(jid, load, minions); err != nil {
		m.log.Warn("The job's load was not written for Salt's own programs", "jid", jid, "err", err)
	}
}
