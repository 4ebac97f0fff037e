package minion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
)

// pillarRetry is the pause before a pillar that could not be had is asked for
// again.
const pillarRetry = 10 * time.Second

// refreshPillar fetches the pillar and keeps it. On an error the old one stays.
func (l *link) refreshPillar(ctx context.Context, cleanCache bool) error {
	p, err := l.fetchPillar(ctx, modules.PillarOptions{}, cleanCache)
	if err != nil {
		return err
	}
	if faults := p.List("_errors"); len(faults) > 0 {
		l.log.Error("the master reports errors in the pillar", "errors", faults)
	}
	l.pillar.Store(p)
	return nil
}

func (l *link) fetchPillar(ctx context.Context, o modules.PillarOptions, cleanCache bool) (*wire.Map, error) {
	raw, err := l.ch.Pillar(ctx, channel.PillarRequest{
		Grains: l.m.grains.get(), Override: o.Override, CleanCache: cleanCache,
		Saltenv: l.m.environment(o.Saltenv, "saltenv"), Pillarenv: l.m.environment(o.Pillarenv, "pillarenv"),
	})
	if err != nil {
		return nil, err
	}
	p, err := wire.DecodeMap(raw)
	if err != nil {
		return nil, fmt.Errorf("pillar from %s: %w", l.name, err)
	}
	return p, nil
}

// environment is the named one, or that of the configuration, or nil.
func (m *Minion) environment(named, option string) any {
	if named != "" {
		return named
	}
	if v, ok := m.cfg.Get(option); ok {
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return nil
}

// pillarLater asks for the pillar until it comes.
func (l *link) pillarLater(ctx context.Context) {
	for sleep.For(ctx, pillarRetry+rand.N(pillarRetry)) == nil {
		err := l.refreshPillar(ctx, false)
		if err == nil {
			l.log.Info("pillar received")
			return
		}
		l.log.Warn("still no pillar", "error", err)
	}
}
