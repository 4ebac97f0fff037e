package auth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/timing"
)

const (
	// checkTime bounds the time of one check.
	checkTime = 15 * time.Second
	// refusalTime is how long a refusal takes from the start of the login, plus or minus a
	// quarter, so that its time does not reveal whether a name exists, unless the login service
	// is slower.
	refusalTime = time.Second
)

// Authenticate returns the identity of credentials. The error is [ErrDenied], [ErrBusy] or
// [ErrUnavailable], or that of ctx.
func (s *Service) Authenticate(ctx context.Context, c Credentials) (Identity, error) {
	id, _, err := s.login(ctx, c)
	return id, err
}

// Login creates a token. It is valid for expire, if that is not 0 and token_expire_user_override allows
// it for this user, or else for token_expire. The error is one of [Service.Authenticate], or says that
// the token could not be stored.
func (s *Service) Login(ctx context.Context, c Credentials, expire time.Duration) (Token, error) {
	id, rules, err := s.login(ctx, c)
	if err != nil {
		return Token{}, err
	}
	life := s.life
	if expire > 0 && s.override.Allows(c.Eauth, id.Name) {
		life = expire
	}
	now := s.now().Round(time.Microsecond) // as the file has it
	t := Token{Name: id.Name, Eauth: c.Eauth, Start: now, Expire: now.Add(life), Groups: id.Groups}
	if s.keepACL {
		t.AuthList = rules
	}
	if t, err = s.tokens.add(ctx, t, s.hash); err != nil {
		return Token{}, fmt.Errorf("token for %s: %w", c, err)
	}
	return t, nil
}

// login checks credentials, after the delay for failed logins.
func (s *Service) login(ctx context.Context, c Credentials) (Identity, []any, error) {
	if len(s.backends) == 0 { // there is nothing to find out by guessing
		return Identity{}, nil, ErrDenied
	}
	began := s.now()
	turn, err := s.slow.enter(ctx, c)
	if err != nil {
		s.warn("login rejected, too many in progress", err, c)
		return Identity{}, nil, err
	}
	defer turn.leave()
	id, rules, err := s.verify(ctx, c, turn.returning)
	switch {
	case err == nil:
		turn.passed()
		return id, rules, nil
	case errors.Is(err, ErrDenied):
	case ctx.Err() != nil:
		return Identity{}, nil, ctx.Err()
	case errors.Is(err, ErrBusy):
		s.warn("login rejected, too many in progress", err, c)
		return Identity{}, nil, ErrBusy
	default:
		s.warn("login service failed", err, c)
		return Identity{}, nil, ErrUnavailable
	}
	s.warn("login refused", err, c)
	//mutant:password-guesses-wait
	turn.failed()
	//mutant:login-delay
	turn.leave() // nobody waits for the place of one that is refused already
	if c.Prompt {
		return Identity{}, nil, ErrDenied
	}
	took := time.Duration((0.75 + rand.Float64()/2) * float64(refusalTime))
	if err := timing.Sleep(ctx, max(0, took-s.now().Sub(began))); err != nil {
		return Identity{}, nil, err
	}
	return Identity{}, nil, ErrDenied
}

// verify checks credentials with the login service, and whether the user has rules. known says that the
// user has logged in from the address before.
func (s *Service) verify(ctx context.Context, c Credentials, known bool) (Identity, []any, error) {
	b, ok := s.backends[c.Eauth]
	if !ok {
		return Identity{}, nil, denied("external_auth has no such login service")
	}
	if c.Username != "" || !b.Bearer {
		if err := checkName(c.Username); err != nil {
			return Identity{}, nil, err
		}
	}
	if len(c.Password) > maxPassword || c.Password == "" && !b.Trusting {
		return Identity{}, nil, denied("a password of %d bytes", len(c.Password))
	}
	id, err := b.check(ctx, c, known)
	if err != nil {
		return Identity{}, nil, err
	}
	if err := checkName(id.Name); err != nil {
		return Identity{}, nil, err
	}
	rules := s.rules(c.Eauth, id)
	if rules == nil {
		return Identity{}, nil, denied("no entry of external_auth means this user")
	}
	return id, rules, nil
}

// check waits for a place and calls the login service, with a time limit.
func (o *opened) check(ctx context.Context, c Credentials, known bool) (Identity, error) {
	among := o.places
	//mutant:login-known-master
	if known {
		among = o.reserve
	}
	if err := enter(ctx, among); err != nil {
		return Identity{}, err
	}
	defer leave(among)
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	return o.Check(ctx, c)
}

// enter waits for a place; places is nil if there is no limit.
func enter(ctx context.Context, places chan struct{}) error {
	if places == nil {
		return nil
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-wait.C:
		return ErrBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func leave(places chan struct{}) {
	if places != nil {
		<-places
	}
}

// warn logs a failed login. Strangers can cause it at will, so each kind is logged once in a while for
// each address.
func (s *Service) warn(what string, err error, c Credentials) {
	c.Username, c.Eauth = shortened(c.Username), shortened(c.Eauth)
	if n := s.logged.Note(what+"\x00"+c.From, s.now()); n > 0 {
		s.log.Warn(what, "login", c, "reason", err.Error(), "times", n) //nolint:sloglint // constant in each caller
	}
}

func shortened(text string) string {
	if len(text) > maxName {
		return text[:maxName] + "…"
	}
	return text
}
