package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/momtree/mom/internal/lru"
)

// tokenSource looks up a token; see [Backend].
type tokenSource interface {
	Token(ctx context.Context, id string) (Token, error)
}

// tokenChecker finds out who sends a request.
type tokenChecker struct {
	source    tokenSource
	origins   *origins
	strangers *quota                       // of requests in progress
	valid     *lru.Map[[32]byte, struct{}] // tokens that were valid when last looked up, as hashes
	now       func() time.Time
}

const (
	// maxTokens bounds the tokens that are remembered as valid.
	maxTokens = 16 << 10
	// lookUpWait is how long a token that is not remembered waits to be looked up.
	lookUpWait = 5 * time.Second
)

func newTokenChecker(source tokenSource, o *origins, strangers *quota, now func() time.Time) *tokenChecker {
	return &tokenChecker{source: source, origins: o, strangers: strangers, valid: lru.New[[32]byte, struct{}](maxTokens), now: now}
}

// require identifies the user of a request. It refuses a request without a valid token.
func (t *tokenChecker) require(c *call) error {
	ok, err := t.identify(c)
	if err == nil && !ok {
		return errNoSession
	}
	return err
}

// identify sets the token of a request. It returns false if the request shows none, and refuses
// one that is not valid.
func (t *tokenChecker) identify(c *call) (bool, error) {
	shown, err := credentialsOf(c.r, c.tokenInURL)
	if err != nil || shown.id == "" {
		return false, err
	}
	if !IsToken(shown.id) {
		return false, errNoSession
	}
	if shown.cookie {
		if err := t.origins.checkCookie(c.r); err != nil {
			return false, err
		}
	}
	token, err := t.lookUp(c, shown.id)
	if err == nil {
		c.token = token
	}
	c.link.Conn.Trust(err == nil)
	return err == nil, err
}

// lookUp asks the master for a token. A token that was not valid at the last look-up waits among
// the strangers, so that invented tokens do not delay users.
func (t *tokenChecker) lookUp(c *call, id string) (Token, error) {
	key, ctx := sha256.Sum256([]byte(id)), c.ctx
	//mutant:api-made-up-tokens
	known := t.valid.Contains(key)
	if !known {
		if !t.strangers.acquire(ctx, c.block, 1, lookUpWait) {
			return Token{}, errBusy
		}
		defer t.strangers.release(c.block, 1)
		ctx = asStranger(ctx)
	}
	token, err := t.ask(ctx, id)
	switch {
	case err == nil:
		t.valid.Add(key, struct{}{})
	case known:
		t.valid.Remove(key)
	}
	return token, err
}

func (t *tokenChecker) ask(ctx context.Context, id string) (Token, error) {
	token, err := t.source.Token(ctx, id)
	if err != nil {
		if p, _ := problemOf(err); p.status == http.StatusUnauthorized {
			return Token{}, errNoSession
		}
		return Token{}, err
	}
	//mutant:api-expired
	if !token.Expire.IsZero() && !t.now().Before(token.Expire) {
		return Token{}, errNoSession
	}
	token.Token = id
	return token, nil
}

// remember records that a token is valid.
func (t *tokenChecker) remember(id string) { t.valid.Add(sha256.Sum256([]byte(id)), struct{}{}) }
