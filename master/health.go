package master

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/logthrottle"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/topology"
)

// aboutDisk and aboutDatabase set apart what a node tells of itself.
const (
	aboutDisk     = "disk"
	aboutDatabase = "database"
	aboutResults  = "results"
	aboutAside    = "aside"
	aboutQuota    = "quota"
	aboutUnsaved  = "unsaved"
	aboutLeftOut  = "left-out"
	aboutJob      = "job/"
)

const (
	storesWait = 3 * time.Second  // for the counters of the store
	maxWhy     = 300              // characters of an error that go up the tree
	staleStep  = 10 * time.Minute // how exactly it is told for how long a job is open
)

// disk tells why the cachedir takes no files, what that does and what helps.
func (m *Master) disk() error {
	if err := crypt.Writable(m.cfg.Cachedir); err != nil {
		return fmt.Errorf("cachedir takes no files: %w; jobs are not started and returns wait with the minions until the disk has room again and is writable", err)
	}
	return nil
}

// tellStores has the tree show that this node cannot keep what it is given: without
// its disk it starts no job and takes no return, and whoever asks from above sees
// only that it is silent. Without its database rows wait on the disk.
func (m *Master) tellStores() {
	m.telling.Lock()
	defer m.telling.Unlock()
	m.tellClock()
	m.policy.SweepBarred()
	m.tellStale()
	err := m.disk()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprint(err)}, aboutDisk, err != nil)
	refused := m.intake.Refused()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"results of minions were refused (%d lately), their jobs have ended with an error; the last is that of %s for job %s: %s",
		refused.N, refused.ID, refused.JID, cut(refused.Why))}, aboutResults, refused.N > 0)
	over := m.intake.OverQuota()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"a minion brings more than it may (%d lately); the last is %s: %s", over.N, over.ID, over.Why)}, aboutQuota, over.N > 0)
	unsaved := m.intake.Unsaved()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"returners of minions did not save results (%d lately), which are in the job cache all the same; the last is that of %s for job %s: %s",
		unsaved.N, unsaved.ID, unsaved.JID, cut(unsaved.Why))}, aboutUnsaved, unsaved.N > 0)
	m.tellLeftOut()
	ctx, cancel := context.WithTimeout(m.ctx, storesWait)
	defer cancel()
	st, err := m.store.Stats(ctx)
	if err == nil {
		m.tellAside(st)
	}
	db := st.Database
	if err != nil || db == nil { // the vitals tell that the store cannot be read
		return
	}
	m.tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Detail: "the database takes no rows, they wait in the outbox: " + cut(db.LastError) +
			"; see that it runs, is reached from here and lets this master in",
	}, aboutDatabase, db.Down)
}

// tellLeftOut has the tree show that options have entries which this master does not
// understand and leaves out.
func (m *Master) tellLeftOut() {
	left := slices.Clone(m.cfg.LeftOut)
	for _, e := range m.leftOut.List() {
		left = append(left, e.String())
	}
	if len(left) == 0 {
		return // what is wrong when the master starts stays so
	}
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d entries of its configuration cannot be understood and have no effect; the first: %s; `mom doctor` on its machine lists them",
		len(left), cut(left[0]))}, aboutLeftOut, true)
}

// maxStale bounds how many jobs the tree names that are open for too long.
const maxStale = 5

// tellStale has the tree show jobs that are open for longer than what is known of them
// explains.
func (m *Master) tellStale() {
	jobs, total := m.jobs.Stale(maxStale)
	now := map[string]bool{}
	if m.stale == nil {
		m.stale = map[string]bool{}
	}
	for _, j := range jobs {
		now[j.JID] = true
		m.stale[j.JID] = true
		m.tree.SetProblem(topology.Problem{Kind: topology.StaleJob, Detail: staleText(j, total-len(jobs))}, aboutJob+j.JID, true)
	}
	for jid := range m.stale {
		if !now[jid] {
			m.tree.SetProblem(topology.Problem{Kind: topology.StaleJob}, aboutJob+jid, false)
			delete(m.stale, jid)
		}
	}
}

// staleText says why a job is open for too long. It has no exact times, since it is told
// anew when it changes.
func staleText(j engine.Stale, more int) string {
	text := fmt.Sprintf("job %s (%s) is open for %s and waits for %d", j.JID, j.Fun, topology.Span(j.Open.Truncate(staleStep)), j.Waiting)
	if j.Waiting == 1 {
		text += ", " + j.For
	} else {
		text += " minions, as " + j.For
	}
	switch {
	case j.Silent > 0:
		text += fmt.Sprintf("; %d of them gave no sign of life when they had to", j.Silent)
	case j.Answered > 0:
		text += fmt.Sprintf("; the %d that have answered took %s at most", j.Answered, topology.Span(j.Longest))
	}
	if text += "; see `mom trace " + j.JID + "`"; more > 0 {
		text += fmt.Sprintf("; %d more jobs are like it", more)
	}
	return text
}

// tellAside has the tree show that rows are kept aside which the master above or the
// database has refused for good.
func (m *Master) tellAside(st jobstore.Stats) {
	for _, o := range st.Owed {
		if o.Dest != jobstore.SetAside {
			continue
		}
		m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
			"%d rows were refused for good by the master above or the database and are kept aside; the log says which and why (\"was set aside\"), the results are in this node's job cache",
			o.Rows)}, aboutAside, o.Rows > 0)
	}
}

// cut keeps an error to what may go up the tree.
func cut(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), maxWhy)])
}

// aboutClock sets apart what a node tells of its wall clock.
const aboutClock = "clock"

// tellClock has the tree show that the wall clock jumped while this master ran. After
// a restart the time that passed is as well that of the restart: only the log tells.
func (m *Master) tellClock() {
	j, jumped := m.ages.Look()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"the wall clock jumped by %s; nothing is removed for its age and no queued job ends until it is back, has stood there for another %s, "+
			"or `salt-run clock.confirm` on this master says that it is right", j.By.Round(time.Second), j.Left.Round(time.Minute),
	)}, aboutClock, jumped && !j.Down)
}

// failing logs what is tried again every second while its cause lasts, such as a
// full disk: the same of the same cause once in ten seconds, with how often it was.
func (m *Master) failing(what string, err error, about ...any) {
	level, n := slog.LevelError, m.failures.Note([2]string{what, logthrottle.Cause(err)}, m.now())
	if n == 0 {
		level = slog.LevelDebug
	}
	m.log.Log(m.ctx, level, what, append(about, "count", n, "err", err)...)
}
