package scheduler

import (
	"context"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
)

// startupJob names the run of startup_states, which is not a job of the schedule.
const startupJob = "startup_states"

// startUp runs the states in the option startup_states once a master is connected, or at once
// if the minion has no master and its files are local.
func (s *Scheduler) startUp(ctx context.Context) {
	o := s.o.Config
	if o.StartupStates == "" {
		return
	}
	if o.MasterType != "disable" {
		select {
		case <-s.served:
		case <-ctx.Done():
			return
		}
	} else if o.FileClient != "local" {
		s.o.Log.Warn("startup_states ignored: master_type: disable needs file_client: local")
		return
	}
	r := startupRun(o.StartupStates, o.SlsList, o.TopFile)
	id := s.nextJID()
	s.o.Log.Info("running startup_states", "fun", r.Function, "jid", id)
	s.do(ctx, r, id)
}

func startupRun(what string, sls []string, top string) schedule.Run {
	r := schedule.Run{Job: &schedule.Job{Name: startupJob, Enabled: true, MaxRunning: 1, ReturnJob: true}, Function: "state.highstate"}
	switch what {
	case "sls":
		r.Function, r.Args = "state.sls", []any{wire.AnyList(sls)}
	case "top":
		r.Function, r.Args = "state.top", []any{top}
	}
	return r
}
