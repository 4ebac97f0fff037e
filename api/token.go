package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"github.com/momtree/mom/client"
)

// cookieName is the cookie of a session, as both of Salt's servers name it.
const cookieName = "session_id"

// shown is what a request shows for itself.
type shownToken struct {
	id string
	// cookie: a browser sent it by itself, perhaps for the page of somebody else.
	cookie bool
}

// tokenOf finds the token of a request: the header X-Auth-Token, then Authorization, the
// query or the path where a route takes it there, and the cookie.
func tokenOf(r *http.Request, inURL bool) (shownToken, error) {
	for _, name := range []string{"X-Auth-Token", "Authorization"} {
		all := r.Header.Values(name)
		for _, v := range all[min(1, len(all)):] {
			//mutant:api-two-headers
			if v != all[0] {
				return shownToken{}, refuse(http.StatusBadRequest, "The header "+name+" is there twice, with different values")
			}
		}
	}
	if v := strings.TrimSpace(r.Header.Get("X-Auth-Token")); v != "" {
		return shownToken{id: v}, nil
	}
	if scheme, v, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return shownToken{id: strings.TrimSpace(v)}, nil
	}
	if inURL {
		if v := r.PathValue("token"); v != "" {
			return shownToken{id: v}, nil
		}
		q := r.URL.Query()
		for _, name := range []string{"token", "salt_token"} {
			if v := q.Get(name); v != "" {
				return shownToken{id: v}, nil
			}
		}
	}
	if c, err := r.Cookie(cookieName); err == nil && c.Value != "" {
		return shownToken{id: c.Value, cookie: true}, nil
	}
	return shownToken{}, nil
}

// shaped tells whether a text can be a token: the hex digits of a hash. The master is not
// asked for others.
func shaped(id string) bool {
	if len(id) < 32 || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// holder finds out whose request it is, or refuses it.
func (s *Server) holder(c *call) (Token, error) {
	t, ok, err := s.maybeHolder(c)
	if err == nil && !ok {
		return Token{}, errNoSession
	}
	return t, err
}

// maybeHolder is holder for a route that takes requests without a token; false for one
// that shows none. One that does not hold is refused. From then on the request is a user's.
func (s *Server) maybeHolder(c *call) (Token, bool, error) {
	shown, err := tokenOf(c.r, c.route.inURL)
	if err != nil || shown.id == "" {
		return Token{}, false, err
	}
	if !shaped(shown.id) {
		return Token{}, false, errNoSession
	}
	if shown.cookie {
		if err := s.sameSite(c.r); err != nil {
			return Token{}, false, err
		}
	}
	t, err := s.lookUp(c, shown.id)
	if err == nil {
		c.token = t
	}
	c.link.conn.trust(err == nil)
	return t, err == nil, err
}

// maxTokens bounds the tokens that are remembered to be users'.
const maxTokens = 16 << 10

// lookUp asks the master for a token. One that was not valid the last time waits among the
// strangers, so that made-up tokens keep no user waiting.
func (s *Server) lookUp(c *call, id string) (Token, error) {
	key, ctx := sha256.Sum256([]byte(id)), c.ctx
	//mutant:api-made-up-tokens
	known := s.tokens.Contains(key)
	if !known {
		if !s.budget.strangers.wait(ctx, c.block, 1, lookUpWait) {
			return Token{}, errBusy
		}
		defer s.budget.strangers.give(c.block, 1)
		ctx = asStranger(ctx)
	}
	t, err := s.lookUpNow(ctx, id)
	switch {
	case err == nil:
		s.tokens.Add(key, struct{}{})
	case known:
		s.tokens.Remove(key)
	}
	return t, err
}

// lookUpWait is how long a token that is not remembered waits to be looked up.
const lookUpWait = 5 * time.Second

func (s *Server) lookUpNow(ctx context.Context, id string) (Token, error) {
	t, err := s.b.Token(ctx, id)
	if err != nil {
		if p, _ := problemOf(err); p.status == http.StatusUnauthorized {
			return Token{}, errNoSession
		}
		return Token{}, err
	}
	//mutant:api-expired
	if !t.Expire.IsZero() && !s.o.Now().Before(t.Expire) {
		return Token{}, errNoSession
	}
	t.Token = id
	return t, nil
}

// sameSite refuses what a page of somebody else lets a browser do with a cookie: to change
// something, or to open a web socket.
func (s *Server) sameSite(r *http.Request) error {
	if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" {
		return nil
	}
	if s.foreign(r) {
		return refuse(http.StatusForbidden, "A page of another origin sent this with a cookie; send the token in the header X-Auth-Token, or name the origin in cors_origin")
	}
	return nil
}

// session is what the holder of a token may do at the master.
func (s *Server) session(t Token) Session { return s.b.As(client.Login{Token: t.Token}) }
