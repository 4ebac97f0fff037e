package master

import (
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// busy lists the jobs that are not cleaned up however old they are: those that are
// open, in this life or a former one, those that are queued, and those of which a
// master above has not heard the end.
func (m *Master) busy() []string {
	jids := append(m.jobs.Marked(), m.jobs.Active()...)
	for _, r := range m.publications.Records() {
		jids = append(jids, r.JID)
	}
	slices.Sort(jids)
	return slices.Compact(jids)
}

// aboutClock sets apart what a node tells of its wall clock.
const aboutClock = "clock"

// tellClock has the tree show that the wall clock jumped while this master ran. After
// a restart the time that passed is as well that of the restart: only the log tells.
func (m *Master) tellClock() {
	j, jumped := m.ages.Look()
	m.tree.Tell(topology.Problem{Kind: topology.Degraded, Detail: fmt.Sprintf(
		"the wall clock jumped by %s; nothing is removed for its age and no queued job ends until it is back, has stood there for another %s, "+
			"or `salt-run clock.confirm` on this master says that it is right", j.By.Round(time.Second), j.Left.Round(time.Minute),
	)}, aboutClock, jumped && !j.Down)
}

// Clock tells of the wall clock, for the runner clock.status.
func (e runnerEnv) Clock() *wire.Map {
	j, jumped := e.m.ages.Look()
	out := wire.NewMap("steady", !jumped, "jumps", int64(e.m.ages.Jumps()))
	if jumped {
		out.Set("jumped_seconds", j.By.Seconds())
		out.Set("while_down", j.Down)
		out.Set("believed_in_seconds", j.Left.Round(time.Second).Seconds())
	}
	return out
}

// ConfirmClock says that the wall clock is right, for the runner clock.confirm.
func (e runnerEnv) ConfirmClock() (jumped time.Duration, was bool) {
	j, was := e.m.ages.Confirm()
	return j.By, was
}
