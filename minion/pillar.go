package minion

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// Pillars compiles the pillar of a minion without a master, from files on this host.
type Pillars interface {
	// Compile returns the pillar, with rendering errors under _errors. env is the environment
	// of templates.
	Compile(ctx context.Context, env modules.Env, o modules.PillarOptions) (*wire.Map, error)
}

// compilePillar compiles the pillar here and stores it, if no master does. It does nothing
// without [Options.Pillars].
func (c *core) compilePillar(ctx context.Context) error {
	//mutant:masterless-pillar
	if c.pillars == nil {
		return nil
	}
	p, err := c.pillars.Compile(ctx, &env{core: c}, modules.PillarOptions{})
	if err != nil {
		return fmt.Errorf("compile the pillar of %s: %w", c.cfg.ID, err)
	}
	c.pillar.Store(p)
	if c.schedule != nil {
		c.schedule.SetPillar(p)
	}
	return nil
}

// Pillar returns the pillar of the master that sent the job, or the minion's own.
func (e *env) Pillar() *wire.Map {
	if e.s != nil {
		return e.s.Pillar()
	}
	if p := e.core.pillar.Load(); p != nil {
		return p
	}
	return wire.NewMap()
}

// RefreshPillar fetches the pillar from every master, because each has its own, or compiles it
// here.
func (e *env) RefreshPillar(ctx context.Context) error {
	if e.s == nil {
		return e.core.compilePillar(ctx)
	}
	e.fireAtDaemon("pillar_refresh", wire.NewMap("clean_cache", true))
	return e.refreshPillar(ctx)
}

func (e *env) refreshPillar(ctx context.Context) error {
	if err := e.s.RefreshPillar(ctx, true); err != nil {
		return fmt.Errorf("refresh the pillar: %w", err)
	}
	for _, s := range e.core.sessions.Serving() {
		if s == e.s || !s.Up() {
			continue
		}
		if err := s.RefreshPillar(ctx, true); err != nil {
			e.core.log.Warn("pillar not refreshed", "master", s.Name(), "err", err)
		}
	}
	e.core.refreshed()
	return nil
}

// refreshed reports to local programs that the pillar was fetched again.
func (c *core) refreshed() {
	c.fireLocal("/salt/minion/minion_pillar_refresh_complete", wire.NewMap("complete", true))
}

// fireAtDaemon asks the daemon, if there is one, for what a call beside it has done for itself.
func (e *env) fireAtDaemon(tag string, data *wire.Map) {
	if e.core.schedule != nil {
		return
	}
	if err := e.core.daemon.fire(tag, data); err != nil {
		e.core.log.Debug("minion daemon not notified", "tag", tag, "err", err)
	}
}

// CompilePillar returns a pillar compiled for one request, and does not store it.
func (e *env) CompilePillar(ctx context.Context, o modules.PillarOptions) (*wire.Map, error) {
	switch {
	case e.s != nil:
		return e.s.FetchPillar(ctx, o, false)
	case e.core.pillars != nil:
		return e.core.pillars.Compile(ctx, e, o)
	}
	return e.Pillar(), nil
}
