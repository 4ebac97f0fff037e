package scheduler

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
)

// mineJob is the job by which a minion sends the results of its mine_functions, mineUpdate its
// function.
const (
	mineJob    = "__mine_interval"
	mineUpdate = "mine.update"
)

// keepMine adds the job of the mine to the option, if the minion has a mine.
func (s *Scheduler) keepMine() {
	o := s.o.Config
	s.option = s.option.Clone()
	if !o.MineEnabled {
		s.option.Delete(mineJob)
		return
	}
	job := wire.NewMap("function", mineUpdate)
	switch {
	case o.MineInterval == 0: // at the start only
	case o.MineInterval%time.Minute == 0:
		job.Set("minutes", int64(o.MineInterval/time.Minute))
	default:
		job.Set("seconds", max(1, int64(o.MineInterval/time.Second)))
	}
	job.Set("jid_include", true)
	job.Set("maxrunning", int64(2))
	job.Set("run_on_start", true)
	job.Set("return_job", o.MineReturnJob)
	job.Set("enabled", true)
	s.option.Set(mineJob, job)
}

// giveMine sends the mine to a master that the minion has connected to.
func (s *Scheduler) giveMine(ctx context.Context, m Master) {
	s.mu.Lock()
	entry, ok := s.job(mineJob)
	s.mu.Unlock()
	if !ok {
		return
	}
	job, err := schedule.Parse(mineJob, entry, schedule.Options{Unknown: func(string, string) {}}, s.o.Now())
	if err != nil || !job.Enabled || job.Function != mineUpdate {
		return
	}
	r := schedule.Run{Job: job, Function: job.Function}
	id := s.nextJID()
	s.deliver(ctx, r, id, s.perform(ctx, m.Env(), r, id), []Master{m})
}

// updateMine sends the mine to each master; the result is that of the last.
func (s *Scheduler) updateMine(ctx context.Context, r schedule.Run, id string) {
	masters := s.o.Masters()
	if len(masters) == 0 {
		return // Connected sends it when there is a master
	}
	var res result
	for _, m := range masters {
		res = s.perform(ctx, m.Env(), r, id)
	}
	s.deliver(ctx, r, id, res, masters)
}
