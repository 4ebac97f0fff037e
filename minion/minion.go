package minion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/modules"
)

// Options are what a Minion needs to start.
type Options struct {
	// Config are the options of the minion's configuration.
	Config *config.Minion
	// Version is told to masters that want to know, and is the grain momversion.
	Version string
	// Collect gathers the grains; nil reads them from this host.
	Collect func(ctx context.Context) *wire.Map
	// Log receives what happens; nil = slog.Default().
	Log *slog.Logger
	// Now is the clock; nil = time.Now.
	Now func() time.Time
}

// Minion is one minion daemon, connected to one or several masters.
type Minion struct {
	cfg     *config.Minion
	encoder delivery.Encoder
	version string
	log     *slog.Logger
	rescues *rescue.Counter
	now     func() time.Time

	grains *grainStore
	bus    *bus.Bus
	ipc    *bus.Server
	table  *modules.Table
	recent *recent
	slots  *slots
	procs  procDir
	tops   *topCheck // nil: jobs need no signature of the top
	diary  *diary

	cache     delivery.Cache
	returners delivery.Returners

	rejectPause time.Duration

	work     sync.WaitGroup // running jobs
	jobs     context.Context
	stopJobs context.CancelCauseFunc

	closing sync.Once
	mu      sync.Mutex
	links   []*link // those that run now
}

// errStopped is the cause that ends the context of jobs when the minion stops.
var errStopped = errors.New("the minion was stopped")

// stopGrace is how long stopping waits for jobs to end after they were told to.
const stopGrace = 5 * time.Second

// New prepares folders and the local event bus. It opens no connection to a
// master; keys are made on the first start of Run.
func New(opts Options) (*Minion, error) {
	m, err := newCore(opts)
	if err != nil {
		return nil, err
	}
	// Of the daemon alone: salt-call beside it has the same folder.
	if err := m.openDiary(); err != nil {
		m.bus.Close()
		return nil, err
	}
	m.ipc, err = serveBus(m.bus, m.cfg, m.log)
	if err != nil {
		m.bus.Close()
		_ = m.diary.close() // nothing was written
		return nil, fmt.Errorf("local event bus of minion %s: %w", m.cfg.ID, err)
	}
	return m, nil
}

// newCore is a minion without the sockets of its event bus.
func newCore(opts Options) (*Minion, error) {
	cfg := opts.Config
	if cfg == nil {
		return nil, errors.New("minion: no configuration given")
	}
	b := cfg.Bounds.OrDefault()
	m := &Minion{
		cfg: cfg, version: opts.Version, log: opts.Log, now: opts.Now,
		encoder:     delivery.Encoder{ID: cfg.ID, Depth: b.Depth, MaxFrameSize: cfg.MaxFrameSize},
		cache:       delivery.CacheOf(cfg.Cachedir),
		rejectPause: 10 * time.Second,
		recent:      newRecent(cfg.MinionJidQueueHwm),
		slots:       newSlots(cfg.ProcessCountMax, b.MinionJobs),
		procs:       procDir(filepath.Join(cfg.Cachedir, "proc")),
	}
	if m.log == nil {
		m.log = slog.Default()
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.returners = delivery.Returners{Options: cfg, Log: m.log, Now: m.now}
	m.rescues = rescue.New(m.log, m.now)
	for _, dir := range []string{cfg.PkiDir, cfg.Cachedir, string(m.procs)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("folders of minion %s: %w", cfg.ID, err)
		}
	}
	var err error
	if m.tops, err = newTopCheck(cfg, m.now); err != nil {
		return nil, fmt.Errorf("minion %s: %w", cfg.ID, err)
	}
	m.table = &modules.Table{CacheFn: m.cache.Get}
	m.grains = newGrainStore(cfg, opts.Version, opts.Collect, m.log)
	m.bus = bus.NewBus(bus.Options{Now: m.now, MaxEventSize: cfg.MaxEventSize})
	m.jobs, m.stopJobs = context.WithCancelCause(context.Background())
	return m, nil
}

// Run serves until ctx ends or no master can be served any more. When it
// returns no job is running, and the return of every job that was is stored.
// The minion is closed then and cannot be run again.
func (m *Minion) Run(ctx context.Context) error {
	defer func() {
		m.finishJobs()
		if err := m.Close(); err != nil {
			m.log.Warn("the event bus did not close", "error", err)
		}
	}()
	if d := m.cfg.RandomStartupDelay; d > 0 {
		if sleep.For(ctx, rand.N(d)) != nil {
			return nil
		}
	}
	m.grains.refresh(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var side sync.WaitGroup
	defer side.Wait()
	defer cancel()
	for _, loop := range []func(context.Context){m.watchBus, m.watchGrains} {
		side.Go(func() { loop(ctx) })
	}
	err := m.serveMasters(ctx)
	if errors.Is(err, channel.ErrRejected) {
		// A service manager starts us again at once, and the master would be
		// asked without end.
		_ = sleep.For(ctx, m.rejectPause+rand.N(m.rejectPause+1))
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// finishJobs tells running jobs to end and waits a moment for their returns. A
// job that does not end is reported by the next start, from its proc file.
func (m *Minion) finishJobs() {
	m.stopJobs(errStopped)
	done := make(chan struct{})
	go func() { m.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(stopGrace):
		m.log.Warn("jobs do not end and are left behind", "running", len(m.table.Running()))
	}
}

// Close releases what New took. Run does so itself when it ends.
func (m *Minion) Close() error {
	var err error
	m.closing.Do(func() {
		m.stopJobs(errStopped)
		if m.ipc != nil {
			err = m.ipc.Close()
		}
		m.bus.Close()
		if m.diary != nil {
			err = errors.Join(err, m.diary.close())
		}
	})
	return err
}

// running are the links to masters at this moment.
func (m *Minion) running() []*link {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*link(nil), m.links...)
}

func (m *Minion) enter(l *link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.links = append(m.links, l)
}

func (m *Minion) leave(l *link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, x := range m.links {
		if x == l {
			m.links = append(m.links[:i:i], m.links[i+1:]...)
			return
		}
	}
}
