package jobs

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/momtree/mom/salt/modules"
)

// Table returns the jobs that run here and in other processes, such as a `salt-call`.
func (j *Jobs) Table() modules.JobTable { return jobTable{&j.table, j} }

type jobTable struct {
	modules.JobTable
	of *Jobs
}

func (t jobTable) Running() []modules.Job {
	jobs := t.JobTable.Running()
	for _, j := range t.others() {
		if _, own := t.JobTable.Find(j.JID); !own {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b modules.Job) int { return strings.Compare(a.JID, b.JID) })
	return jobs
}

func (t jobTable) Find(jid string) (modules.Job, bool) {
	if j, ok := t.JobTable.Find(jid); ok {
		return j, true
	}
	for _, j := range t.others() {
		if j.JID == jid {
			return j, true
		}
	}
	return modules.Job{}, false
}

func (t jobTable) others() []modules.Job {
	left, err := t.of.procs.list()
	if err != nil {
		t.of.Log.Warn("proc_dir unreadable", "err", err)
	}
	var out []modules.Job
	for _, p := range left {
		if p.runsElsewhere() {
			p.load.Delete(masterField)
			out = append(out, modules.Job{JID: p.jid, PID: p.by.PID, Load: p.load})
		}
	}
	return out
}

// Signal also reaches jobs of other processes.
func (t jobTable) Signal(jid string, sig syscall.Signal) error {
	err := t.JobTable.Signal(jid, sig)
	if !errors.Is(err, modules.ErrNoJob) {
		return err
	}
	if _, ok := t.Find(jid); !ok {
		return err
	}
	return t.of.SignalOther(jid, sig)
}

// Signal sends a signal to a job that this process runs.
func (j *Jobs) Signal(jid string, sig syscall.Signal) error { return j.table.Signal(jid, sig) }
