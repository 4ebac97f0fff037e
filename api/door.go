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
	"github.com/momtree/mom/internal/sleep"
)

const (
	// loginPlaces bounds logins at work, and loginShare those of one address. As many more
	// are kept for users who have logged in from their address before.
	loginPlaces, loginShare = 32, 8
	// loginRoom bounds logins that wait for such a place, and loginRoomShare those of one
	// address.
	loginRoom, loginRoomShare = 256, 32
	// loginWait is how long a login waits for a place.
	loginWait = 5 * time.Second
	// maxKnown bounds the pairs of user and address that are remembered.
	maxKnown = 16 << 10
	// refusalTime is how long a refusal takes, give or take a quarter: whether a user exists
	// cannot be told by the time, and guesses are slow.
	refusalTime = time.Second
)

// doorkeeper has logins take turns. Guesses, from however many addresses, do not keep users
// out who have logged in from their address since the API was started: places are kept for
// them. That is forgotten at a restart, after which they wait their turn once.
type doorkeeper struct {
	room, strangers, users *supply
	secret                 [32]byte
	known                  *lru.Map[[32]byte, struct{}] // who has logged in, by pair
}

func newDoorkeeper() *doorkeeper {
	d := &doorkeeper{
		room: newSupply(loginRoom, loginRoomShare), strangers: newSupply(loginPlaces, loginShare), users: newSupply(loginPlaces, loginShare),
		known: lru.New[[32]byte, struct{}](maxKnown),
	}
	_, _ = rand.Read(d.secret[:]) // it never fails
	return d
}

// pair is a user at an address, in any spelling of the name.
func (d *doorkeeper) pair(l client.Login, block string) [32]byte {
	h := hmac.New(sha256.New, d.secret[:])
	for _, part := range []string{strings.ToLower(l.Username), l.Eauth, block} {
		h.Write([]byte(part))
		h.Write([]byte{0xff})
	}
	return [32]byte(h.Sum(nil))
}

var errManyLogins = refuse(http.StatusTooManyRequests, "Too many logins are at work; try again later")

// makeLogin has the master make a token. Who is wrong is never told in what. A refusal is
// answered after a second, for which no place is held. The place among the requests at work
// is given back: logins have their own.
func (s *Server) makeLogin(c *call, l client.Login, expire time.Duration) (Token, error) {
	began := time.Now()
	l.From = c.addr
	c.release()
	t, err := s.tryLogin(c, l, expire)
	if err == nil {
		return t, nil
	}
	r, ok := errors.AsType[*client.Refused](err)
	if !(ok && (unauthentic(r) || r.Name == "AuthorizationError") || errors.Is(err, ErrNoToken)) {
		return Token{}, err
	}
	took := time.Duration((0.75 + mathrand.Float64()/2) * float64(refusalTime))
	if err := sleep.For(c.ctx, took-time.Since(began)); err != nil {
		return Token{}, err
	}
	return Token{}, errBadLogin
}

// tryLogin logs in when it is the login's turn.
func (s *Server) tryLogin(c *call, l client.Login, expire time.Duration) (Token, error) {
	d, pair := s.logins, s.logins.pair(l, c.block)
	among, who := d.strangers, c.block
	//mutant:login-known
	if d.known.Contains(pair) {
		among, who = d.users, string(pair[:])
	} else if !d.room.try(who, 1) {
		return Token{}, errManyLogins
	} else {
		defer d.room.give(who, 1)
	}
	c.link.conn.work()
	defer c.link.conn.rest()
	if !among.wait(c.ctx, who, 1, loginWait) {
		return Token{}, errManyLogins
	}
	//mutant:api-login-delay
	defer among.give(who, 1)
	t, err := s.b.MakeToken(c.ctx, l, expire)
	if err == nil {
		d.known.Add(pair, struct{}{})
		s.tokens.Add(sha256.Sum256([]byte(t.Token)), struct{}{})
	}
	return t, err
}

type strangerKey struct{}

// asStranger marks what is asked of the master for a stranger.
func asStranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, true)
}

// IsStranger reports whether a context is that of a request whose token was not valid before:
// a [Backend] keeps such questions from those of users.
func IsStranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }
