package api

import (
	"net/http"
	"slices"
	"strings"
)

// takes tells whether pages of an origin may use the API.
func (s *Server) takes(origin string) bool {
	return slices.Contains(s.o.Origins, "*") || s.named(origin)
}

// named reports whether cors_origin names an origin, which "*" does not.
func (s *Server) named(origin string) bool {
	return slices.ContainsFunc(s.o.Origins, func(o string) bool { return strings.EqualFold(o, origin) })
}

// cors says which pages may read the answer. Where all may, a browser sends no cookies
// along, and no page may log in; where some are named, they may do both.
func (s *Server) cors(w http.ResponseWriter, r *http.Request, methods map[string]*route) {
	h := w.Header()
	if slices.Contains(s.o.Origins, "*") {
		if rt := methods[http.MethodPost]; rt != nil && rt.login {
			return
		}
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if origin == "" || !s.takes(origin) {
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Expose-Headers", "X-Auth-Token, Link, Retry-After, Idempotency-Replayed")
}

// preflight answers a browser that asks what it may send.
func (s *Server) preflight(w http.ResponseWriter, _ *http.Request, methods map[string]*route) {
	h := w.Header()
	list := strings.Join(allowed(methods), ", ")
	h.Set("Allow", list+", OPTIONS")
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", list)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Auth-Token, X-Requested-With")
		h.Set("Access-Control-Max-Age", "1400")
	}
	w.WriteHeader(http.StatusNoContent)
}
