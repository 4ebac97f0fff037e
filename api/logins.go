package api

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/timing"
)

const (
	// loginPlaces bounds logins in progress, and loginShare those of one address. As many more are
	// reserved for users who have logged in from their address before.
	loginPlaces, loginShare = 32, 8
	// loginRoom bounds logins that wait for such a place, and loginRoomShare those of one address.
	loginRoom, loginRoomShare = 256, 32
	// loginWait is how long a login waits for a place.
	loginWait = 5 * time.Second
	// maxKnown bounds the pairs of user and address that are remembered.
	maxKnown = 16 << 10
	// refusalTime is how long a refusal takes, give or take a quarter. It hides whether a user
	// exists, and slows guesses down.
	refusalTime = time.Second
)

// tokenMaker logs users in; see [Backend].
type tokenMaker interface {
	MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error)
}

// loginQueue bounds logins in progress. Guesses, from however many addresses, do not lock out users
// who have logged in from their address since the API started: places are reserved for them.
type loginQueue struct {
	master                 tokenMaker
	tokens                 *tokenChecker
	room, strangers, users *quota
	secret                 [32]byte
	known                  *lru.Map[[32]byte, struct{}] // pairs that have logged in
}

func newLoginQueue(master tokenMaker, tokens *tokenChecker) *loginQueue {
	q := &loginQueue{
		master: master, tokens: tokens,
		room: newQuota(loginRoom, loginRoomShare), strangers: newQuota(loginPlaces, loginShare), users: newQuota(loginPlaces, loginShare),
		known: lru.New[[32]byte, struct{}](maxKnown),
	}
	_, _ = rand.Read(q.secret[:]) // it never fails
	return q
}

// pair identifies a user, in any spelling of the name, at an address.
func (q *loginQueue) pair(l client.Login, block string) [32]byte {
	h := hmac.New(sha256.New, q.secret[:])
	for _, part := range []string{strings.ToLower(l.Username), l.Eauth, block} {
		h.Write([]byte(part))
		h.Write([]byte{0xff})
	}
	return [32]byte(h.Sum(nil))
}

var errManyLogins = Refuse(http.StatusTooManyRequests, "Too many logins are in progress; try again later")

// login makes a token. The refusal does not say what was wrong. It takes about a second, during
// which no place is held. The place of the request is released: logins have their own.
func (q *loginQueue) login(c *call, l client.Login, expire time.Duration) (Token, error) {
	began := time.Now()
	l.From = c.addr
	c.release()
	t, err := q.try(c, l, expire)
	if err == nil {
		return t, nil
	}
	r, ok := errors.AsType[*client.Refused](err)
	if !(ok && (unauthentic(r) || r.Name == "AuthorizationError") || errors.Is(err, ErrNoToken)) {
		return Token{}, err
	}
	took := time.Duration((0.75 + mathrand.Float64()/2) * float64(refusalTime))
	if err := timing.Sleep(c.ctx, took-time.Since(began)); err != nil {
		return Token{}, err
	}
	return Token{}, errBadLogin
}

// try waits for a place and logs in.
func (q *loginQueue) try(c *call, l client.Login, expire time.Duration) (Token, error) {
	pair := q.pair(l, c.block)
	among, holder := q.strangers, c.block
	//mutant:login-known
	if q.known.Contains(pair) {
		among, holder = q.users, string(pair[:])
	} else if !q.room.tryAcquire(holder, 1) {
		return Token{}, errManyLogins
	} else {
		defer q.room.release(holder, 1)
	}
	c.link.Conn.Begin()
	defer c.link.Conn.End()
	if !among.acquire(c.ctx, holder, 1, loginWait) {
		return Token{}, errManyLogins
	}
	//mutant:api-login-delay
	defer among.release(holder, 1)
	t, err := q.master.MakeToken(c.ctx, l, expire)
	if err == nil {
		q.known.Add(pair, struct{}{})
		q.tokens.remember(t.Token)
	}
	return t, err
}
