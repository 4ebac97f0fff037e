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

// Master is a master that gets results.
type Master interface {
	Name() string
	// Push stores the return of a job for this master.
	Push(jid string, load []byte) error
	// Env returns the environment of functions: the minion, and this master.
	Env() modules.Env
}

// Options are the dependencies of a [Scheduler].
type Options struct {
	Config *config.Minion
	Jobs   *jobs.Jobs
	// Masters returns the masters that are served at the moment.
	Masters func() []Master
	// Env returns the environment of functions while the minion has no master.
	Env func() modules.Env
	// Grains returns the grains of the minion: their whens name dates.
	Grains func() *wire.Map
	// Fire fires an informational event on the bus of the minion.
	Fire func(tag string, data any)
	Log  *slog.Logger
	// Now is the wall clock, Age the process clock. Nil means the system's.
	Now func() time.Time
	Age func() time.Duration
}

// Scheduler runs the schedule of one minion. It is safe for concurrent use.
type Scheduler struct {
	o     Options
	table *schedule.Table
	loop  *schedule.Loop
	jids  *jid.Generator
	begin chan struct{} // closed when jobs may run
	once  sync.Once

	served  chan struct{} // closed when there is a master
	serving sync.Once

	// mu guards the maps below. A map is never changed once it is set, but replaced.
	mu     sync.Mutex
	option *wire.Map       // the current option schedule
	pillar *wire.Map       // the whole pillar
	loaded bool            // the table has both
	ctx    context.Context // the context of Run, once the table is loaded
	logged map[string]bool // faults that are logged already
	held   []heldReturn
}

// New returns a Scheduler with the schedule of the configuration. Nothing runs before
// [Scheduler.Run].
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
		logged: map[string]bool{},
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

// nextJID returns the id of a run.
func (s *Scheduler) nextJID() string { return s.jids.Next() + jid.OwnSuffix(s.o.Config.ID) }

func (s *Scheduler) moment() schedule.Moment {
	return schedule.Moment{Wall: s.o.Now(), Age: s.o.Age()}
}

// start lets jobs run, once Run is called.
func (s *Scheduler) start() { s.once.Do(func() { close(s.begin) }) }

// Run runs due jobs until ctx ends, and waits for running ones. It begins when the minion has a
// master, or at once if the configuration says so. The states in startup_states run
// concurrently.
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

// Connected handles a new connection to a master: it sends the held returns and the mine to it.
func (s *Scheduler) Connected(ctx context.Context, m Master) {
	s.release(m)
	s.start()
	s.serving.Do(func() { close(s.served) })
	s.giveMine(ctx, m)
}

// SetPillar replaces the schedule of the previous pillar. Jobs that are unchanged keep their
// next run.
func (s *Scheduler) SetPillar(p *wire.Map) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil {
		p = wire.NewMap()
	}
	s.pillar = p
	s.load()
}

// load passes the schedule to the table. It logs each fault once. s.mu is held.
func (s *Scheduler) load() {
	if !s.loaded {
		return
	}
	jobs := s.jobs(everywhere)
	if m := jobs.Map(mineJob); m != nil {
		// Each master gets the mine when it connects, see Connected.
		m = m.Clone()
		m.Delete("run_on_start")
		jobs.Set(mineJob, m)
	}
	logged := map[string]bool{}
	for _, err := range s.table.Load(jobs, s.moment()) {
		if logged[err.Error()] = true; !s.logged[err.Error()] {
			s.o.Log.Error("invalid scheduled job ignored", "err", err, "place", s.place())
		}
	}
	s.logged = logged
}

// place names the source of the effective schedule.
func (s *Scheduler) place() string {
	if p := s.o.Config.Place("schedule"); p.File != "" {
		return p.String()
	}
	return "pillar"
}

// unknown handles unknown fields. Salt leaves run in files that it saves.
func (s *Scheduler) unknown(job, field string) {
	if field == "run" || field == "saved" {
		return
	}
	s.o.Log.Warn("scheduled job: unknown field ignored", "job", job, "field", field)
}

// whens looks up a date by its name in the pillar or the grains. It is called while s.mu is
// held.
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
