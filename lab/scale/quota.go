package scale

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/localcluster"
)

// quotaPeriod is the time over which the kernel counts a quota.
const quotaPeriod = 100 * time.Millisecond

// quota is a control group that gives all its processes together a part of a processor
// (cpu.cfs_quota_us of version 1, cpu.max of version 2).
type quota struct{ dir string }

// newQuota makes a group with so many processors: 0.5 is half of one.
func newQuota(name string, processors float64) (*quota, error) {
	period := quotaPeriod.Microseconds()
	share := int64(processors * float64(period))
	var errs []error
	for _, kind := range []struct {
		root  string
		files map[string]string
	}{
		{"/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_period_us": strconv.FormatInt(period, 10), "cpu.cfs_quota_us": strconv.FormatInt(share, 10)}},
		{"/sys/fs/cgroup", map[string]string{"cpu.max": fmt.Sprintf("%d %d", share, period)}},
	} {
		q := &quota{dir: filepath.Join(kind.root, name)}
		err := q.make(kind.files)
		if err == nil {
			return q, nil
		}
		errs = append(errs, err, q.close())
	}
	return nil, fmt.Errorf("limit the processor time of the nodes: it takes root and a control group with the controller cpu: %w", errors.Join(errs...))
}

func (q *quota) make(files map[string]string) error {
	if err := os.Mkdir(q.dir, 0o755); err != nil {
		return err
	}
	for name, value := range files {
		if err := os.WriteFile(filepath.Join(q.dir, name), []byte(value), 0); err != nil {
			return err
		}
	}
	return nil
}

// add moves a process, with all its threads, into the group.
func (q *quota) add(p *localcluster.Process) error {
	if q == nil {
		return nil
	}
	if err := os.WriteFile(filepath.Join(q.dir, "cgroup.procs"), []byte(strconv.Itoa(p.Pid())), 0); err != nil {
		return fmt.Errorf("limit the processor time of %s: %w", p.ID, err)
	}
	return nil
}

// close removes the group, whose processes have ended.
func (q *quota) close() error {
	if q == nil {
		return nil
	}
	if err := os.Remove(q.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the control group: %w", err)
	}
	return nil
}
