package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/internal/netblock"
)

// call is one request at work.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // of the request
	route *route
	token Token // of who asks; that without a name is nobody
	// addr is the address that the request comes from, and block what of it counts as one
	// stranger.
	addr, block string
	link        link
	// places are what the request holds of the supplies of the server.
	places []held
}

// ServeHTTP takes a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	rec := &recorder{ResponseWriter: w, begun: s.o.Now(), from: s.addressOf(r)}
	defer s.logAccess(rec, r)
	if r.ProtoMajor == 1 {
		// That of the request before may have passed. In HTTP/2 it would end the stream
		// while nobody writes; the connection has its own there.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pieceTime)) // where there is none, such as in tests, nothing waits
	}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // panic values are compared as they are
				panic(p)
			}
			s.log.Error("request handler panicked", "route", r.Pattern, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
			if rec.status == 0 {
				s.fail(rec, r, errors.New("panic"))
			}
		}
	}()
	if err := s.take(rec, r); err != nil {
		s.fail(rec, r, err)
	}
}

// take finds the route of a request and follows it.
func (s *Server) take(w *recorder, r *http.Request) error {
	l := linkOf(r.Context())
	if l.head != nil && l.head.bad.Load() {
		w.Header().Set("Connection", "close")
		return refuse(http.StatusBadRequest, "The head of the request can be read in two ways: Content-Length beside Transfer-Encoding, a folded line, or a line without a carriage return")
	}
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close") // what follows such a body is not looked at
	}
	if s.frontEnd(r) {
		r.Pattern = s.o.AppPath
		return s.app(&call{w: w, r: r})
	}
	methods, err := s.find(r)
	if err != nil {
		return err
	}
	s.cors(w, r, methods)
	if r.Method == http.MethodOptions {
		s.preflight(w, r, methods)
		return nil
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt := methods[method]
	if rt == nil || (rt.stream && r.Method == http.MethodHead) {
		w.Header().Set("Allow", strings.Join(allowed(methods), ", "))
		return refuse(http.StatusMethodNotAllowed, "Specified method is invalid for this resource")
	}
	if !rt.stream && !rt.file {
		if _, err := formOf(r); err != nil {
			return err
		}
	}
	c := &call{w: w, r: r, ctx: withAddress(r.Context(), w.from), route: rt, addr: w.from, block: netblock.Of(w.from), link: l}
	defer c.release()
	//mutant:api-get-changes-nothing
	if rt.starts && r.Method == http.MethodGet {
		if err := s.samePage(r); err != nil {
			return err
		}
	}
	if rt.who == holder {
		if c.token, err = s.holder(c); err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "private, no-store")
		if rt.body == "" {
			if err := s.enter(c); err != nil {
				return err
			}
		}
	}
	ctx, span := s.traced(c)
	c.ctx = ctx
	err = rt.do(s, c)
	span.End(err)
	return err
}

// find gives the routes of a path by method. A path that is not in its shortest form is
// none of ours: nobody is sent on to another.
func (s *Server) find(r *http.Request) (map[string]*route, error) {
	absent := refuse(http.StatusNotFound, "The path was not found.")
	p := r.URL.Path
	if s.o.Root != "" {
		rest, ok := strings.CutPrefix(p, s.o.Root)
		if !ok || (rest != "" && rest[0] != '/') {
			return nil, absent
		}
		p = rest
	}
	if p != "/" {
		p = strings.TrimSuffix(p, "/")
	}
	if p == "" {
		p = "/"
	}
	escaped := strings.TrimPrefix(r.URL.EscapedPath(), s.o.Root)
	if escaped != "/" {
		escaped = strings.TrimSuffix(escaped, "/")
	}
	if escaped == "" {
		escaped = "/"
	}
	//mutant:api-path-tricks
	if p[0] != '/' || path.Clean(escaped) != escaped || !utf8.ValidString(p) || strings.ContainsFunc(p, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return nil, absent
	}
	probe := &http.Request{Method: http.MethodGet, Host: "mom", URL: cloneURL(r, p, escaped)}
	_, pattern := s.mux.Handler(probe)
	methods := s.byPath[pattern]
	if methods == nil {
		return nil, absent
	}
	r.Pattern = pattern
	for name, v := range values(pattern, escaped) {
		r.SetPathValue(name, v)
	}
	return methods, nil
}

// allowed are the methods of a path as the header Allow tells them.
func allowed(methods map[string]*route) []string {
	var out []string
	for m, rt := range methods {
		if out = append(out, m); m == http.MethodGet && !rt.stream {
			out = append(out, http.MethodHead)
		}
	}
	slices.Sort(out)
	return out
}
