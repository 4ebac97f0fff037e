package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

const (
	// expandedFor is how long an expansion of rules is cached.
	expandedFor = time.Minute
	// maxExpanded bounds the cached expansions.
	maxExpanded = 256
)

// expansion is a list of rules with expanded targets.
type expansion struct {
	rules []any
	until time.Time
}

// Expand replaces, in the rules of a user of a login service, the targets that only that service
// understands: ldap(BASE) by the minions that the directory has there. Rules without such targets are
// returned unchanged. Results are cached for a minute. After an error the rules must not be used.
func (s *Service) Expand(ctx context.Context, eauth string, rules []any) ([]any, error) {
	b, ok := s.backends[eauth]
	if !ok {
		return rules, nil
	}
	e, ok := b.Backend.(Expander)
	if !ok || !e.Wanted(rules) {
		return rules, nil
	}
	key, now := pyfmt.Repr(wire.Normal(rules)), s.now()
	b.mu.Lock()
	was, known := b.expanded[key]
	b.mu.Unlock()
	if known && now.Before(was.until) && was.until.Sub(now) <= expandedFor {
		return was.rules, nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := enter(ctx, b.reserve); err != nil {
		return nil, err
	}
	out, err := e.Expand(ctx, rules)
	leave(b.reserve)
	if err != nil {
		if n := s.logged.Note("expand\x00"+eauth, now); n > 0 {
			s.log.Warn("login service did not expand access rules", "eauth", eauth, "err", err, "times", n)
		}
		return nil, fmt.Errorf("targets of %s in rules: %w", eauth, errors.Join(ErrUnavailable, ctx.Err()))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.expanded) >= maxExpanded {
		clear(b.expanded)
	}
	b.expanded[key] = expansion{out, now.Add(expandedFor)}
	return out, nil
}
