package remote

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/momtree/mom/client"
)

// route is the addresses of a client, of which one is in use. Clients made with With share it. It is
// safe for concurrent use.
type route struct {
	bases []*url.URL

	mu     sync.Mutex
	at     int
	login  *client.Login     // the last accepted one
	tokens map[string]string // by address and token: the token that replaces it there
}

func newRoute(bases []*url.URL) *route { return &route{bases: bases, tokens: map[string]string{}} }

func (r *route) several() bool { return len(r.bases) > 1 }

// base returns the address in use.
func (r *route) base() *url.URL {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bases[r.at]
}

// lost reports that an address cannot be reached. The next one comes into use.
func (r *route) lost(base *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bases[r.at] == base {
		r.at = (r.at + 1) % len(r.bases)
	}
}

// String returns the addresses, separated by commas.
func (r *route) String() string {
	all := make([]string, 0, len(r.bases))
	for _, b := range r.bases {
		all = append(all, b.String())
	}
	return strings.Join(all, ",")
}

// token returns the token to use at an address.
func (r *route) token(base *url.URL, token string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.tokens[base.String()+" "+token]; ok {
		return t
	}
	return token
}

// loggedIn records an accepted login.
func (r *route) loggedIn(l client.Login) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.login = &l
}

// again returns the login to repeat at an address that does not know a token. ok is false if there is
// none, or if it was repeated there.
func (r *route) again(base *url.URL, token string) (l client.Login, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, done := r.tokens[base.String()+" "+token]
	if !r.several() || r.login == nil || token == "" || done {
		return l, false
	}
	return *r.login, true
}

func (r *route) replace(base *url.URL, token, with string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[base.String()+" "+token] = with
}

// errNotSent means that no connection was made, so the request has no effect.
var errNotSent = errors.New("not connected")

// notSent reports whether err is a failed attempt to connect.
func notSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
