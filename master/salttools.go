package master

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/master/jobfiles"
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
	if m.cfg.JobCacheFiles && m.cacheName() == "" {
		m.jobFiles, err = jobfiles.Open(jobfiles.Options{
			Dir: filepath.Join(m.cfg.Cachedir, "jobs"), HashType: m.cfg.HashType, Keep: m.cfg.KeepJobsSeconds, Log: m.log,
			Age: m.ages.Now, Steady: m.ages.Steady, Busy: m.retained.Jobs,
		})
		if err != nil {
			return err
		}
	}
	m.jobWriter = &jobfiles.Writer{Folder: m.jobFiles, Store: m.store.Local(), Returns: m.cfg.JobCacheReturns, Log: m.log}
	return nil
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
