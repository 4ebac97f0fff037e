package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// pillarRetry is the pause before a failed request for the pillar is repeated.
const pillarRetry = 10 * time.Second

// Pillar returns the pillar that was fetched last.
func (s *Session) Pillar() *wire.Map { return s.pillar.Load() }

// RefreshPillar fetches and stores the pillar. On an error the previous one stays.
func (s *Session) RefreshPillar(ctx context.Context, cleanCache bool) error {
	p, err := s.FetchPillar(ctx, modules.PillarOptions{}, cleanCache)
	if err != nil {
		return err
	}
	if faults := p.List("_errors"); len(faults) > 0 {
		s.log.Error("pillar has errors", "errors", faults)
	}
	s.pillar.Store(p)
	if s.all.PillarChanged != nil {
		s.all.PillarChanged(s)
	}
	return nil
}

// FetchPillar fetches the pillar and returns it without storing it.
func (s *Session) FetchPillar(ctx context.Context, o modules.PillarOptions, cleanCache bool) (*wire.Map, error) {
	grains, began := s.all.Grains.Get(), time.Now()
	raw, err := s.ch.Pillar(ctx, channel.PillarRequest{
		Grains: grains, Override: o.Override, CleanCache: cleanCache,
		Saltenv: s.all.environment(o.Saltenv, "saltenv"), Pillarenv: s.all.environment(o.Pillarenv, "pillarenv"),
	})
	if errors.Is(err, channel.ErrNoAnswer) { // Salt's text
		return nil, fmt.Errorf("SaltClientError: Pillar timed out after %d seconds: %w", int(time.Since(began).Seconds()), err)
	}
	if err != nil {
		return nil, err
	}
	p, err := wire.DecodeMap(raw)
	if err != nil {
		return nil, fmt.Errorf("pillar from %s: %w", s.name, err)
	}
	s.sent.Store(&view{grains, p})
	return p, nil
}

// environment returns the named environment, or that of the configuration, or nil.
func (all *Sessions) environment(named, option string) any {
	if named != "" {
		return named
	}
	if v, ok := all.Options.Get(option); ok {
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return nil
}

// pillarLater retries until it has the pillar.
func (s *Session) pillarLater(ctx context.Context) {
	for timing.Sleep(ctx, pillarRetry+rand.N(pillarRetry)) == nil {
		err := s.RefreshPillar(ctx, false)
		if err == nil {
			s.log.Info("pillar received")
			return
		}
		s.log.Warn("still no pillar", "err", err)
	}
}
