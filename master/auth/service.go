package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/logs"
)

// Options of a [Service].
type Options struct {
	Config *config.Master
	// Rules returns the rules of a user, in Salt's form, or nil if no entry of external_auth
	// matches and the login service gives none; the user is refused then.
	Rules func(eauth string, id Identity) []any

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

// Service authenticates users and manages tokens. It is safe for concurrent use.
type Service struct {
	rules    func(eauth string, id Identity) []any
	backends map[string]*opened
	slow     *slowdown
	tokens   *folder

	life     time.Duration // of a token
	override config.Override
	keepACL  bool
	hash     string // hash_type, for the names of tokens

	log *slog.Logger
	now func() time.Time

	logged logs.Throttle[string]
}

// opened is an open login service with its places for concurrent checks.
type opened struct {
	Driver
	Backend
	places chan struct{} // nil: as many as come
	// reserve are further places for users who are or were logged in from their address.
	reserve chan struct{}

	mu       sync.Mutex
	expanded map[string]expansion // by rules
}

// New opens the login services in external_auth. The error joins all faults in their options. Whether a
// service answers is found at the first login.
func New(o Options) (*Service, error) {
	c := o.Config
	s := &Service{
		rules: o.Rules, backends: map[string]*opened{}, log: cmp.Or(o.Log, slog.Default()), now: o.Now,
		life: c.TokenExpire, override: c.TokenExpireUserOverride, keepACL: c.KeepAclInToken, hash: c.HashType,
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.slow = newSlowdown(s.now)
	s.tokens = newFolder(c.TokenDir, s.log, s.now)
	var faults []error
	if c.EauthTokens != "localfs" {
		faults = append(faults, fmt.Errorf("eauth_tokens: %q is not supported; only localfs is", c.EauthTokens))
	}
	if _, err := crypt.NewHash(c.HashType); err != nil {
		faults = append(faults, fmt.Errorf("tokens: %w", err))
	}
	for _, name := range slices.Sorted(maps.Keys(c.ExternalAuth)) {
		if _, ok := drivers[name]; !ok { // Salt starts with it too
			s.log.Error("external_auth: unknown login service, its users cannot log in", "eauth", name,
				"hint", "use one of "+strings.Join(Names(), ", "))
			continue
		}
		if err := s.open(name, c); err != nil {
			faults = append(faults, fmt.Errorf("external_auth: %s: %w", name, err))
		}
	}
	if len(faults) == 0 { // programs of Salt's write tokens there too
		if err := s.tokens.make(); err != nil && len(s.backends) > 0 {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return s, nil
}

// open opens one entry of external_auth.
func (s *Service) open(name string, c *config.Master) error {
	d := drivers[name]
	entries, ok := c.ExternalAuth[name].(map[string]any)
	if !ok && c.ExternalAuth[name] != nil {
		// Like Salt, start anyway; the access rules, which read it too, log the reason.
		return nil
	}
	b, err := d.open(Config{Entries: entries, Values: c.Raw, Log: s.log.With("eauth", name), Now: s.now})
	if err != nil {
		return err
	}
	o := &opened{Driver: d, Backend: b, expanded: map[string]expansion{}}
	if d.AtOnce > 0 {
		o.places, o.reserve = make(chan struct{}, d.AtOnce), make(chan struct{}, d.AtOnce)
	}
	s.backends[name] = o
	return nil
}

// Run removes expired tokens at once and then every ten minutes, until ctx ends. An expired token is
// never accepted.
func (s *Service) Run(ctx context.Context) {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		s.tokens.sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
