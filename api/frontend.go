package api

import (
	"net/http"
	"strings"
)

// frontEnd answers requests of browsers with the file of the option app. As in rest_cherrypy, a
// browser gets it for every path outside app_path and static_path, because single-page front ends
// keep their state in the path.
//
// rest_cherrypy also serves it for a wildcard Accept and for no Accept header. Here Accept must
// name HTML, so that the option does not change what programs get.
func frontEnd(files *fileHandler, o Options, fail *errorWriter) middleware {
	return func(next http.Handler) http.Handler {
		if files.own == nil || o.Dialect != CherryPy {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !forFrontEnd(r, o) {
				next.ServeHTTP(w, r)
				return
			}
			r.Pattern = o.AppPath
			if err := files.serveOwn(w, r); err != nil {
				fail.write(w, r, err)
			}
		})
	}
}

func forFrontEnd(r *http.Request, o Options) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	rest, ok := strings.CutPrefix(r.URL.Path, o.Root)
	if !ok || rest != "" && rest[0] != '/' || strings.HasPrefix(rest, o.AppPath) || strings.HasPrefix(rest, o.StaticPath) {
		return false
	}
	return wantsHTML(r.Header.Values("Accept"))
}

// wantsHTML reports whether Accept lists text/html or text/* with a weight above zero.
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
