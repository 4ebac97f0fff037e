package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/value"
)

// openSchedule makes what runs runners by the clock. What of the option cannot be used is
// told.
func (m *Master) openSchedule() {
	began := time.Now()
	moment := func() schedule.Moment { return schedule.Moment{Wall: m.now(), Age: time.Since(began)} }
	table := schedule.New(schedule.Options{Check: scheduled})
	jobs, _ := config.AsValue(m.cfg.Schedule).(*value.Map)
	for _, err := range table.Load(jobs, moment()) {
		m.log.Error(err.Error())
	}
	m.schedule = schedule.NewLoop(schedule.LoopOptions{
		Table: table, Moment: moment, JID: m.jids.Next, Log: m.log,
		Do: func(ctx context.Context, r schedule.Run, jid string) {
			call := &runners.Call{Fun: r.Function, Args: r.Args, Kwargs: r.Kwargs.Clone()}
			keep := r.ReturnJob && !r.NoCache && !runners.Private(r.Function)
			if _, err := m.runners.Do(ctx, call, runners.Start{JID: jid, User: m.access.Own, Keep: keep}); err != nil {
				m.log.Error("A scheduled job failed", "job", r.Name, "jid", jid, "fun", r.Function, "err", err)
			}
		},
	})
}

// scheduled tells why this master cannot run a job of its schedule.
func scheduled(j *schedule.Job) error {
	if _, ok := runners.Lookup(j.Function); !ok {
		return fmt.Errorf("Invalid function: %s is no runner of this master", j.Function)
	}
	if len(j.Returners) > 0 || j.Metadata != nil {
		return errors.New("returner and metadata are for schedules of minions; what a master runs is in its job cache")
	}
	return nil
}
