package master

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/topology"
)

// Subjects of the problems that a node reports about itself.
const (
	aboutDisk     = "disk"
	aboutDatabase = "database"
	aboutEvents   = "events"
	aboutResults  = "results"
	aboutAside    = "aside"
	aboutQuota    = "quota"
	aboutUnsaved  = "unsaved"
	aboutLeftOut  = "left-out"
	aboutJob      = "job/"
)

const (
	storesWait = 3 * time.Second  // for the statistics of the store
	maxWhy     = 300              // maximum length of an error in the tree
	staleStep  = 10 * time.Minute // granularity of the reported age
)

// disk returns an error if the cachedir is not writable.
func (m *Master) disk() error {
	if err := durable.Writable(m.cfg.Cachedir); err != nil {
		return fmt.Errorf("cachedir takes no files: %w; jobs are not started and returns wait with the minions until the disk has room again and is writable", err)
	}
	return nil
}

// reportProblems updates the problems of this node in the tree. Without its disk it starts no job
// and accepts no return, and from above it only looks silent.
func (m *Master) reportProblems() {
	m.problemsMu.Lock()
	defer m.problemsMu.Unlock()
	m.reportClock()
	m.policy.SweepBarred()
	m.reportStaleJobs()
	m.reportCluster()
	err := m.disk()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprint(err)}, aboutDisk, err != nil)
	refused := m.intake.Refused()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d returns refused in the last hour; their jobs ended with an error; last: minion %s, job %s: %s",
		refused.N, refused.ID, refused.JID, cut(refused.Why))}, aboutResults, refused.N > 0)
	over := m.intake.OverQuota()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d refusals in the last hour because of a daily quota; last: minion %s: %s", over.N, over.ID, over.Why)}, aboutQuota, over.N > 0)
	unsaved := m.intake.Unsaved()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d returns in the last hour not saved by a returner on the minion, only in the job cache; last: minion %s, job %s: %s",
		unsaved.N, unsaved.ID, unsaved.JID, cut(unsaved.Why))}, aboutUnsaved, unsaved.N > 0)
	m.reportLeftOut()
	ctx, cancel := context.WithTimeout(m.ctx, storesWait)
	defer cancel()
	st, err := m.store.Stats(ctx)
	if err == nil {
		m.reportSetAside(st)
	}
	m.reportReturners(st.Writers)
}

// reportReturners reports returners of the job cache and of event_return that store nothing now, and
// events that were lost.
func (m *Master) reportReturners(all []jobstore.WriterStats) {
	for _, w := range all {
		why := ""
		switch {
		case w.OpenErr != nil:
			why = w.OpenErr.Error()
		case w.Drain != nil && w.Drain.Down:
			why = w.Drain.LastError
		}
		m.tree.SetProblem(topology.Problem{
			Kind: topology.Degraded, Detail: "returner " + w.Name + " stores nothing, rows wait in the outbox: " + cut(why),
		}, aboutDatabase+"/"+w.Name, why != "")
	}
	lost := m.store.LostEvents()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d events in the last hour lost for event_return; last: %s", lost.N, cut(lost.Why))}, aboutEvents, lost.N > 0)
}

// reportLeftOut reports options with entries that this master ignores.
func (m *Master) reportLeftOut() {
	left := slices.Clone(m.cfg.LeftOut)
	for _, e := range m.leftOut.List() {
		left = append(left, e.String())
	}
	if len(left) == 0 {
		return // the list only grows
	}
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"%d invalid entries in its configuration are ignored; first: %s; `mom doctor` on its machine lists them",
		len(left), cut(left[0]))}, aboutLeftOut, true)
}

// maxStale is the maximum number of stale jobs in the tree.
const maxStale = 5

// reportStaleJobs reports jobs open for longer than expected.
func (m *Master) reportStaleJobs() {
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

// staleText describes a stale job. It has no exact times, since a changed text is reported again.
func staleText(j engine.Stale, more int) string {
	text := fmt.Sprintf("job %s (%s) has been open for %s and waits for %d", j.JID, j.Fun, topology.Span(j.Open.Truncate(staleStep)), j.Waiting)
	if j.Waiting == 1 {
		text += ", " + j.For
	} else {
		text += " minions, such as " + j.For
	}
	switch {
	case j.Silent > 0:
		text += fmt.Sprintf("; %d of them gave no sign of life when due", j.Silent)
	case j.Answered > 0:
		text += fmt.Sprintf("; the slowest of %d answers took %s", j.Answered, topology.Span(j.Longest))
	}
	if text += "; see `mom trace " + j.JID + "`"; more > 0 {
		text += fmt.Sprintf("; %d more stale jobs", more)
	}
	return text
}

// reportSetAside reports rows that the master above or a returner refused permanently.
func (m *Master) reportSetAside(st jobstore.Stats) {
	for _, o := range st.Backlog {
		if o.Dest != jobstore.SetAside {
			continue
		}
		m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
			"%d rows permanently refused by the master above or a returner are set aside; see the log for reasons; the results are in this node's job cache",
			o.Rows)}, aboutAside, o.Rows > 0)
	}
}

// cut truncates an error to maxWhy characters.
func cut(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), maxWhy)])
}

// aboutClock is the subject of the wall clock.
const aboutClock = "clock"

// reportClock reports a jump of the wall clock while this master runs. After a restart a jump
// looks like downtime and is only logged.
func (m *Master) reportClock() {
	j, jumped := m.ages.Look()
	m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"the wall clock jumped by %s; nothing is removed for its age and no queued job ends until it is back, has stood there for another %s, "+
			"or `salt-run clock.confirm` on this master says that it is right", j.By.Round(time.Second), j.Left.Round(time.Minute),
	)}, aboutClock, jumped && !j.Down)
}

// failing logs an error that is retried, such as a full disk: once in ten seconds per message and
// cause, with a count.
func (m *Master) failing(what string, err error, about ...any) {
	level, n := slog.LevelError, m.failures.Note([2]string{what, logs.Cause(err)}, m.now())
	if n == 0 {
		level = slog.LevelDebug
	}
	m.log.Log(m.ctx, level, what, append(about, "count", n, "err", err)...) //nolint:sloglint // constant in each caller
}
