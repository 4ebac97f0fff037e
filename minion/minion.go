package minion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/minion/masters"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/grains"
	"github.com/momtree/mom/salt/modules"
)

// Options are the dependencies of a [Minion].
type Options struct {
	// Config are the options of the minion's configuration.
	Config *config.Minion
	// Version is sent to masters in announcements, and is the grain momversion.
	Version string
	// Collect collects the grains; nil means from this host.
	Collect func(ctx context.Context) *wire.Map
	// Pillars compiles the pillar of a minion without a master; if nil, its pillar is empty. It
	// is not used with a master.
	Pillars Pillars
	// Tracer makes OpenTelemetry traces of jobs; nil makes none.
	Tracer *tracing.Tracer
	// Log is the logger; nil means slog.Default().
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Minion is a minion daemon, connected to one or several masters.
type Minion struct {
	*core
	masters *masters.Masters
	ipc     *bus.Server

	rejectPause time.Duration

	closing sync.Once
}

// New prepares directories and the local event bus. It does not connect to a master; Run makes
// the keys on its first start.
func New(opts Options) (*Minion, error) {
	m, err := prepare(opts)
	if err != nil {
		return nil, err
	}
	// For the daemon only: a salt-call beside it uses the same directory.
	if err := m.jobs.OpenJournal(); err != nil {
		m.bus.Close()
		return nil, fmt.Errorf("minion %s: %w", m.cfg.ID, err)
	}
	m.ipc, err = serveBus(m.bus, m.cfg, m.log)
	if err != nil {
		m.bus.Close()
		_ = m.jobs.Close() // nothing was written
		return nil, fmt.Errorf("local event bus of minion %s: %w", m.cfg.ID, err)
	}
	m.openSchedule()
	return m, nil
}

// prepare returns a minion without the sockets of its event bus and without a schedule.
func prepare(opts Options) (*Minion, error) {
	cfg := opts.Config
	if cfg == nil {
		return nil, errors.New("minion: no configuration given")
	}
	m := &Minion{core: &core{cfg: cfg, log: opts.Log, now: opts.Now}, rejectPause: 10 * time.Second}
	if m.log == nil {
		m.log = slog.Default()
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.daemon = beside{cfg: cfg, now: m.now}
	if cfg.Masterless() {
		m.pillars = opts.Pillars
	}
	for _, dir := range []string{cfg.PkiDir, cfg.Cachedir} {
		if err := durable.Folder(dir, 0o700); err != nil {
			return nil, fmt.Errorf("folders of minion %s: %w", cfg.ID, err)
		}
	}
	var err error
	if m.jobs, err = jobs.New(jobs.Options{Config: cfg, Log: m.log, Now: m.now, Tracer: opts.Tracer, SignalOther: m.daemon.signal}); err != nil {
		return nil, fmt.Errorf("minion %s: %w", cfg.ID, err)
	}
	if opts.Collect == nil {
		opts.Collect = collectGrains(cfg, opts.Version, m.log)
	}
	m.grains = grains.NewStore(cfg.ID, opts.Collect)
	m.sessions = session.New(session.Config{
		Options: cfg, Version: opts.Version, Jobs: m.jobs, Grains: m.grains, Log: m.log, Now: m.now, FireLocal: m.fireLocal,
		Connected: m.connected, PillarChanged: m.pillarChanged,
		Env: func(s *session.Session) modules.Env { return &env{core: m.core, s: s} },
	})
	m.external = external.New(external.Options{
		Dirs: moduleFolders(cfg), Limit: cfg.ExternalModulesTimeout, Taken: modules.Own, Log: m.log,
	})
	m.bus = bus.NewBus(bus.Options{Now: m.now, MaxEventSize: cfg.MaxEventSize})
	m.masters = masters.New(masters.Config{Options: cfg, Sessions: m.sessions, Jobs: m.jobs, Bus: m.bus, Log: m.log})
	return m, nil
}

// Run serves until ctx ends or no master can be served. When it returns, no job is running, and
// the return of every job is stored. The minion is then closed and cannot run again.
func (m *Minion) Run(ctx context.Context) error {
	defer func() {
		m.jobs.Stop()
		if err := m.Close(); err != nil {
			m.log.Warn("event bus not closed", "err", err)
		}
	}()
	if d := m.cfg.RandomStartupDelay; d > 0 {
		if timing.Sleep(ctx, rand.N(d)) != nil {
			return nil
		}
	}
	m.grains.Refresh(ctx)
	if err := m.compilePillar(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var side sync.WaitGroup
	defer side.Wait()
	defer cancel()
	for _, loop := range []func(context.Context){m.watchBus, m.watchGrains, m.schedule.Run} {
		side.Go(func() { loop(ctx) })
	}
	err := m.masters.Run(ctx)
	if errors.Is(err, channel.ErrRejected) {
		m.log.Error("master refused the sign-in", "minion", m.cfg.ID, "err", err)
		// A service manager restarts us at once, and the master would get requests without
		// pause.
		_ = timing.Sleep(ctx, m.rejectPause+rand.N(m.rejectPause+1))
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Close releases the resources of New. Run does so itself when it ends.
func (m *Minion) Close() error {
	var err error
	m.closing.Do(func() {
		err = m.jobs.Close()
		if m.ipc != nil {
			err = errors.Join(err, m.ipc.Close())
		}
		m.bus.Close()
	})
	return err
}

// collectGrains reads the grains from this host.
func collectGrains(cfg *config.Minion, version string, log *slog.Logger) func(ctx context.Context) *wire.Map {
	return func(ctx context.Context) *wire.Map {
		master, _ := cfg.Get("master")
		return grains.Collect(ctx, grains.Options{
			ID: cfg.ID, Master: master, ConfDir: cfg.Dir, Static: cfg.Grains, Version: version, FQDNs: cfg.EnableFqdnsGrains, Log: log,
		})
	}
}

// moduleFolders returns the directories in which executables are modules.
func moduleFolders(cfg *config.Minion) []string {
	var out []string
	for _, dir := range append(slices.Clone(cfg.ModuleDirs), cfg.ExtmodsFolder()) {
		out = append(out, filepath.Join(dir, "modules"))
	}
	return out
}
