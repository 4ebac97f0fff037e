package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origins decides what pages of other origins may make a browser do.
type origins struct {
	names []string // of cors_origin; "*" is all
	cross *http.CrossOriginProtection
}

func newOrigins(names []string) (*origins, error) {
	o := &origins{names: names, cross: http.NewCrossOriginProtection()}
	for _, name := range names {
		if name == "*" {
			continue
		}
		if err := o.cross.AddTrustedOrigin(name); err != nil {
			return nil, fmt.Errorf("cors_origin: %w", err)
		}
	}
	return o, nil
}

// foreign reports whether a page of another origin, which cors_origin does not name, made a
// browser send the request. Programs that are not browsers send no header that says so.
func (o *origins) foreign(r *http.Request) bool {
	probe := *r
	probe.Method = http.MethodPost
	//mutant:api-other-origins
	return o.cross.Check(&probe) != nil
}

var (
	errForeignLogin  = Refuse(http.StatusForbidden, "A page of another origin sent this login; name the origin in cors_origin")
	errForeignStart  = Refuse(http.StatusForbidden, "This starts a job, and a browser may have sent it from a page of another origin; send the token in the header X-Auth-Token")
	errForeignCookie = Refuse(http.StatusForbidden, "A page of another origin sent this with a cookie; send the token in the header X-Auth-Token, or name the origin in cors_origin")
)

// checkLogin refuses a login that a page of another origin made a browser send. The visitor would
// act as a user that the page chooses, or guess passwords for it from inside a network.
//
//mutant:login-csrf
func (o *origins) checkLogin(r *http.Request) error {
	if o.foreign(r) {
		return errForeignLogin
	}
	return nil
}

// checkStart refuses a GET that starts a job and shows only a cookie, unless the browser says that
// a page of the API sent it or that the user typed the address. Links on any page send the cookie,
// and without TLS browsers say nothing about them, so a browser that says nothing is refused. No
// page can make a browser send a token in a header by a link.
func (o *origins) checkStart(r *http.Request) error {
	if shown, err := credentialsOf(r, false); err != nil || !shown.cookie {
		return err
	}
	if o.foreign(r) {
		return errForeignStart
	}
	if r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "" {
		return nil
	}
	from, err := url.Parse(r.Header.Get("Referer"))
	switch {
	case err == nil && from.Host != "":
		if !strings.EqualFold(from.Host, r.Host) {
			return errForeignStart
		}
	case strings.HasPrefix(r.UserAgent(), "Mozilla/"): // as every browser begins
		return errForeignStart
	}
	return nil
}

// checkCookie refuses a request with a cookie by which a page of another origin would change
// something or open a web socket.
func (o *origins) checkCookie(r *http.Request) error {
	if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" {
		return nil
	}
	if o.foreign(r) {
		return errForeignCookie
	}
	return nil
}

// any reports whether pages of all origins may use the API.
func (o *origins) any() bool { return slices.Contains(o.names, "*") }

// allow sets the headers that let pages read the answer. If all origins may, a browser sends no
// cookies and no page may log in; if some are named, they may do both.
func (o *origins) allow(w http.ResponseWriter, r *http.Request, login bool) {
	h := w.Header()
	if o.any() {
		if login {
			return
		}
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if origin == "" || !slices.ContainsFunc(o.names, func(name string) bool { return strings.EqualFold(name, origin) }) {
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Expose-Headers", "X-Auth-Token, Link, Retry-After, Idempotency-Replayed")
}

// preflight answers a browser that asks which methods and headers it may send. It follows
// [origins.allow].
func preflight(w http.ResponseWriter, methods []string) {
	h := w.Header()
	list := strings.Join(methods, ", ")
	h.Set("Allow", list+", OPTIONS")
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", list)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Auth-Token, X-Requested-With")
		h.Set("Access-Control-Max-Age", "1400")
	}
	w.WriteHeader(http.StatusNoContent)
}
