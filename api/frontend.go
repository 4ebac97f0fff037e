package api

import (
	"net/http"
	"strings"
)

// frontEnd tells whether a request gets the file of the option app although its path is
// another one, as rest_cherrypy does: a browser that asks for a page anywhere outside
// app_path and static_path. A front end that keeps its state in the path begins so.
//
// rest_cherrypy takes a wildcard in Accept, or no such header, for a wish for HTML as well;
// here HTML has to be named, so that programs get what they got without the option.
func (s *Server) frontEnd(r *http.Request) bool {
	if s.files.own == nil || s.o.Dialect != CherryPy || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	rest, ok := strings.CutPrefix(r.URL.Path, s.o.Root)
	if !ok || rest != "" && rest[0] != '/' || strings.HasPrefix(rest, s.o.AppPath) || strings.HasPrefix(rest, s.o.StaticPath) {
		return false
	}
	return wantsHTML(r.Header.Values("Accept"))
}

// wantsHTML tells whether a header Accept names HTML, or every kind of text, with a weight.
func wantsHTML(accept []string) bool {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, _ := strings.Cut(part, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
		if kind != "text/html" && kind != "text/*" {
			continue
		}
		refused := false
		for p := range strings.SplitSeq(params, ";") {
			name, v, _ := strings.Cut(strings.TrimSpace(p), "=")
			refused = refused || strings.EqualFold(name, "q") && strings.Trim(v, "0.") == ""
		}
		if !refused {
			return true
		}
	}
	return false
}
