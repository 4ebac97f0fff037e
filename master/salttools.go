package master

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobfiles"
)

// publishPull is a socket of Salt's own master. Salt's command salt looks whether
// it exists before it publishes, and does not use it (Salt wire reference §11.2).
const publishPull = "publish_pull.ipc"

// openSaltTools prepares what Salt's programs on this host need beside the event
// sockets and the user's key: a mark that the master runs, and the loads of jobs.
func (m *Master) openSaltTools() (err error) {
	if m.cfg.IpcMode != "tcp" {
		if err := os.WriteFile(m.publishPull(), nil, 0o600); err != nil {
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

func (m *Master) publishPull() string { return filepath.Join(m.cfg.SockDir, publishPull) }

// closeSaltTools takes the mark away: Salt's command then says at once that no
// master runs.
func (m *Master) closeSaltTools() error {
	if m.cfg.IpcMode == "tcp" {
		return nil
	}
	if err := os.Remove(m.publishPull()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unmark the master: %w", err)
	}
	return nil
}

// showJob lays a job where Salt's programs look for it. The job goes on without:
// its own place is the job store.
func (m *Master) showJob(j *job, load wire.Raw) {
	if m.jobFiles == nil {
		return
	}
	if err := m.jobFiles.Save(j.jid, load, j.minions); err != nil {
		m.log.Warn("The job's load was not written for Salt's own programs", "jid", j.jid, "err", err)
	}
}
