package api

import (
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/api/listener"
	"github.com/momtree/mom/internal/network"
)

// endpoint handles a call. The router answers with its error.
type endpoint func(*call) error

// router finds the route of a request and calls its endpoint.
type router struct {
	root    string
	mux     *http.ServeMux // finds patterns; its handlers are not used
	byPath  map[string]methods
	origins *origins
	fail    *errorWriter
	log     *slog.Logger
}

// served is a route and the endpoint that serves it.
type served struct {
	*route
	endpoint
}

// methods are the routes of a path by method.
type methods map[string]served

// newRouter serves the enabled routes of a table. guard makes the endpoint of a route.
func newRouter(table []route, o Options, origins *origins, fail *errorWriter, guard func(*route) endpoint) *router {
	r := &router{root: o.Root, mux: http.NewServeMux(), byPath: map[string]methods{}, origins: origins, fail: fail, log: o.Log}
	for i := range table {
		rt := &table[i]
		if !rt.enabled(o) {
			continue
		}
		p := rt.pattern(o)
		if r.byPath[p] == nil {
			r.byPath[p] = methods{}
			r.mux.HandleFunc(p, func(http.ResponseWriter, *http.Request) {})
		}
		r.byPath[p][rt.method] = served{rt, guard(rt)}
	}
	return r
}

// ServeHTTP implements [http.Handler].
func (t *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := t.serve(w, r); err != nil {
		t.fail.write(w, r, err)
	}
}

func (t *router) serve(w http.ResponseWriter, r *http.Request) error {
	all, err := t.find(r)
	if err != nil {
		return err
	}
	t.origins.allow(w, r, all.login())
	if r.Method == http.MethodOptions {
		preflight(w, all.allowed())
		return nil
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, ok := all[method]
	if !ok || (rt.stream && r.Method == http.MethodHead) {
		w.Header().Set("Allow", strings.Join(all.allowed(), ", "))
		return Refuse(http.StatusMethodNotAllowed, "Specified method is invalid for this resource")
	}
	if !rt.stream && !rt.file {
		if _, err := formOf(r); err != nil {
			return err
		}
	}
	addr := clientAddr(r)
	c := &call{
		w: w, r: r, ctx: r.Context(), log: t.log, addr: addr, block: network.Block(addr), link: listener.LinkOf(r.Context()),
		root: t.root, tokenInURL: rt.tokenInURL,
	}
	defer c.release()
	return rt.endpoint(c)
}

// find returns the routes of a path. A path that is not in its shortest form has none, rather than
// a redirect.
func (t *router) find(r *http.Request) (methods, error) {
	absent := Refuse(http.StatusNotFound, "The path was not found.")
	p := r.URL.Path
	if t.root != "" {
		rest, ok := strings.CutPrefix(p, t.root)
		if !ok || (rest != "" && rest[0] != '/') {
			return nil, absent
		}
		p = rest
	}
	p = trimSlash(p)
	escaped := trimSlash(strings.TrimPrefix(r.URL.EscapedPath(), t.root))
	//mutant:api-path-tricks
	if p[0] != '/' || path.Clean(escaped) != escaped || !utf8.ValidString(p) || strings.ContainsFunc(p, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return nil, absent
	}
	probe := &http.Request{Method: http.MethodGet, Host: "mom", URL: withPath(r, p, escaped)}
	_, pattern := t.mux.Handler(probe)
	all := t.byPath[pattern]
	if all == nil {
		return nil, absent
	}
	r.Pattern = pattern
	for name, v := range pathValues(pattern, escaped) {
		r.SetPathValue(name, v)
	}
	return all, nil
}

// trimSlash removes a slash at the end of a path that is not the root.
func trimSlash(p string) string {
	if p != "/" {
		p = strings.TrimSuffix(p, "/")
	}
	if p == "" {
		return "/"
	}
	return p
}

// login reports whether a path is only for logins.
func (m methods) login() bool {
	rt, ok := m[http.MethodPost]
	return ok && rt.login
}

// allowed returns the methods for the header Allow.
func (m methods) allowed() []string {
	var out []string
	for method, rt := range m {
		if out = append(out, method); method == http.MethodGet && !rt.stream {
			out = append(out, http.MethodHead)
		}
	}
	slices.Sort(out)
	return out
}

// withPath returns the URL of a request with another path.
func withPath(r *http.Request, path, escaped string) *url.URL {
	u := *r.URL
	u.Path, u.RawPath = path, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
	return &u
}

// pathValues returns the values of the names in a pattern of net/http that matches an escaped path.
func pathValues(pattern, escaped string) map[string]string {
	out := map[string]string{}
	for pattern != "" && escaped != "" {
		var want, have string
		want, pattern, _ = strings.Cut(strings.TrimPrefix(pattern, "/"), "/")
		escaped = strings.TrimPrefix(escaped, "/")
		name, named := strings.CutPrefix(want, "{")
		name = strings.TrimSuffix(name, "}")
		if rest, all := strings.CutSuffix(name, "..."); named && all {
			if v, err := url.PathUnescape(escaped); err == nil {
				out[rest] = v
			}
			return out
		}
		have, escaped, _ = strings.Cut(escaped, "/")
		if named && name != "$" {
			if v, err := url.PathUnescape(have); err == nil {
				out[name] = v
			}
		}
	}
	return out
}
