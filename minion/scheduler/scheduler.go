package scheduler

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/salt/modules"
)

// Master is one that results go to.
type Master interface {
	Name() string
	// Push stores the return of a job for it.
	Push(jid string, load []byte) error
	// Env is what functions see of the minion and of this master.
	Env() modules.Env
}

// Options are what a [Scheduler] needs.
type Options struct {
	Config *config.Minion
	Jobs   *jobs.Jobs
	// Masters are those that are served now.
	Masters func() []Master
	// Env is what functions see of a minion that has no master at this time.
	Env func() modules.Env
	// Grains of the minion: their whens name dates.
	Grains func() *wire.Map
	// Fire fires an event on the bus of the minion that only informs.
	Fire func(tag string, data any)
	Log  *slog.Logger
	// Now is the clock of the wall; Age that of the process. Nil: the system's.
	Now func() time.Time
	Age func() time.Duration
}

// Scheduler is that of one minion. It is safe for concurrent use.
type Scheduler struct {
	o     Options
	table *schedule.Table
	loop  *schedule.Loop
	jids  *jid.Generator
	begin chan struct{} // closed when jobs may run
	once  sync.Once

	served  chan struct{} // closed when there is a master
	serving sync.Once

	// mu guards the maps below, none of which is changed once it is there: another takes
	// its place.
	mu     sync.Mutex
	option *wire.Map       // the option schedule, as it is now
	pillar *wire.Map       // the whole pillar
	loaded bool            // the table has them
	ctx    context.Context // that of Run, once the table has them
	told   map[string]bool // faults that are in the log
	held   []heldReturn
}

// New has the schedule of the configuration and runs nothing before [Scheduler.Run].
func New(o Options) *Scheduler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Age == nil {
		began := time.Now()
		o.Age = func() time.Duration { return time.Since(began) }
	}
	s := &Scheduler{
		o: o, jids: jid.NewGenerator(o.Now, 0), begin: make(chan struct{}), served: make(chan struct{}), option: wire.NewMap(), pillar: wire.NewMap(),
		told: map[string]bool{},
	}
	if m, ok := config.AsValue(o.Config.Schedule).(*wire.Map); ok {
		s.option = m
	}
	s.keepMine()
	s.table = schedule.New(schedule.Options{Loop: o.Config.LoopInterval, Whens: s.whens, Idle: true, Unknown: s.unknown})
	s.loop = schedule.NewLoop(schedule.LoopOptions{Table: s.table, Moment: s.moment, JID: s.nextJID, Do: s.do, Log: o.Log})
	if o.Config.SchedulerBeforeConnect || o.Config.MasterType == "disable" {
		s.start()
	}
	return s
}

// nextJID gives the id of a run.
func (s *Scheduler) nextJID() string { return s.jids.Next() + jid.OwnSuffix(s.o.Config.ID) }

func (s *Scheduler) moment() schedule.Moment {
	return schedule.Moment{Wall: s.o.Now(), Age: s.o.Age()}
}

// start has jobs run, if Run is called.
func (s *Scheduler) start() { s.once.Do(func() { close(s.begin) }) }

// Run runs what is due until ctx ends, and waits for what is under way then. It begins when
// the minion has a master, or at once if the configuration says so. The states
// of startup_states run beside them.
func (s *Scheduler) Run(ctx context.Context) {
	var startup sync.WaitGroup
	startup.Go(func() { s.startUp(ctx) })
	defer startup.Wait()
	select {
	case <-s.begin:
	case <-ctx.Done():
		return
	}
	s.mu.Lock()
	s.loaded, s.ctx = true, ctx
	s.load()
	s.mu.Unlock()
	s.loop.Run(ctx)
}

// Connected is told that a master is served now. It gets what waited for one, and the mine.
func (s *Scheduler) Connected(ctx context.Context, m Master) {
	s.release(m)
	s.start()
	s.serving.Do(func() { close(s.served) })
	s.giveMine(ctx, m)
}

// SetPillar has the schedule of a pillar take the place of that of the former one. Jobs that
// are the same as before go on as they were.
func (s *Scheduler) SetPillar(p *wire.Map) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		p = wire.NewMap()
	}
	s.pillar = p
	s.load()
}

// load hands the schedule to the table. What cannot be used is told once. s.mu is held.
func (s *Scheduler) load() {
	if !s.loaded {
		return
	}
	jobs := s.jobs(everywhere)
	if m := jobs.Map(mineJob); m != nil {
		// Each master gets the mine when it is there, see Connected.
		m = m.Clone()
		m.Delete("run_on_start")
		jobs.Set(mineJob, m)
	}
	told := map[string]bool{}
	for _, err := range s.table.Load(jobs, s.moment()) {
		if told[err.Error()] = true; !s.told[err.Error()] {
			s.o.Log.Error("invalid scheduled job ignored", "err", err, "place", s.place())
		}
	}
	s.told = told
}

// place says where the schedule that counts stands.
func (s *Scheduler) place() string {
	if p := s.o.Config.Place("schedule"); p.File != "" {
		return p.String()
	}
	return "pillar"
}

// unknown is told of fields that mean nothing. Salt leaves run in files that it saves.
func (s *Scheduler) unknown(job, field string) {
	if field == "run" || field == "saved" {
		return
	}
	s.o.Log.Warn("scheduled job: unknown field ignored", "job", job, "field", field)
}

// whens finds a date that the pillar or the grains name. It is called while s.mu is held.
func (s *Scheduler) whens(name string) (any, bool) {
	for _, m := range []*wire.Map{s.pillar, s.o.Grains()} {
		if m == nil {
			continue
		}
		if named := m.Map("whens"); named != nil {
			if v, ok := named.Get(name); ok {
				return v, true
			}
		}
	}
	return nil, false
}
