package doctor

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/value"
)

// lookSchedule reads the schedule as the master does.
func lookSchedule(p *patient) {
	const area = "schedule"
	jobs, _ := config.AsValue(p.conf.Schedule).(*value.Map)
	if jobs.Len() == 0 {
		return
	}
	t := schedule.New(schedule.Options{Check: func(j *schedule.Job) error {
		if _, ok := runners.Lookup(j.Function); !ok {
			return fmt.Errorf("%s is no runner here", j.Function)
		}
		return nil
	}})
	now := schedule.Moment{Wall: time.Now()}
	for _, err := range t.Load(jobs, now) {
		p.fails(area, p.conf.Place("schedule").String(), "mend it, or keep it in cron of the machine", "%v", err)
	}
	for _, s := range t.Statuses(now) {
		p.works(area, s.Key, "next at %s", s.Next.Format("2006-01-02 15:04:05"))
	}
}
