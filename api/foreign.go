package api

import (
	"net/http"
	"net/url"
	"strings"
)

// foreign reports whether a page of another origin, which cors_origin does not name, had a
// browser send the request. Programs that are not browsers send no header that says so.
func (s *Server) foreign(r *http.Request) bool {
	probe := *r
	probe.Method = http.MethodPost
	//mutant:api-other-origins
	return s.cross.Check(&probe) != nil
}

var (
	errForeignLogin = refuse(http.StatusForbidden, "A page of another origin sent this login; name the origin in cors_origin")
	errForeignStart = refuse(http.StatusForbidden, "This starts a job, and a browser may have sent it from a page of another origin; send the token in the header X-Auth-Token")
)

// ownLogin refuses a login that a page of another origin had a browser send: the visitor
// would act as whoever the page chooses, or guess passwords for it from inside a network.
//
//mutant:login-csrf
func (s *Server) ownLogin(r *http.Request) error {
	if s.foreign(r) {
		return errForeignLogin
	}
	return nil
}

// samePage refuses a GET that starts a job and has nothing but a cookie to show, unless the
// browser says that a page of the API itself sent it, or the user typed the address. Links on
// any page send the cookie, and browsers say less about such a request than about a POST:
// nothing at all without TLS. So a browser that says nothing is refused. No page can have a
// browser send a token in a header by a link.
func (s *Server) samePage(r *http.Request) error {
	if shown, err := tokenOf(r, false); err != nil || !shown.cookie {
		return err
	}
	if s.foreign(r) {
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
