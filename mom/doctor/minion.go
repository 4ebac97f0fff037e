package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/mom/daemons"
	"github.com/momtree/mom/value"
)

// lookMinion reads the minion's file beside the master's, if there is one: whether our
// minion could take the place of Salt's.
func lookMinion(p *patient) {
	const area = "minion beside the master"
	if _, err := os.Stat(filepath.Join(p.dir, "minion")); errors.Is(err, fs.ErrNotExist) {
		return
	}
	conf, warnings, err := config.ReadMinion(p.dir)
	if err != nil {
		for _, e := range each(err) {
			p.differs(area, "", "keep Salt's minion there, or change it", "%v", e)
		}
		return
	}
	if err := daemons.TryMinion(conf); err != nil {
		p.differs(area, "", "keep Salt's minion there, or change it", "it does not start: %v", err)
		return
	}
	n := 0
	jobs, _ := config.AsValue(conf.Schedule).(*value.Map)
	table := schedule.New(schedule.Options{Idle: true, Unknown: func(job, field string) {
		n++
		p.differs(area, conf.Place("schedule").String(), "mend it", "schedule: job %s: the field %s is not known and has no effect", job, field)
	}})
	for _, err := range table.Load(jobs, schedule.Moment{Wall: time.Now()}) {
		n++
		p.differs(area, conf.Place("schedule").String(), "mend it", "%v", err)
	}
	for _, w := range warnings {
		if w.Kind == config.NoEffect && config.NotNeeded[w.Option] == "" {
			n++
			p.differs(area, w.Place.String(), "keep Salt's minion there if it is needed", "%s", w.Text)
		}
	}
	if n == 0 {
		p.works(area, "", "our minion serves all options that are set")
	}
}
