package api

import (
	"net/http"
	"net/url"
	"strings"
)

// cloneURL is the address of a request with another path.
func cloneURL(r *http.Request, path, escaped string) *url.URL {
	u := *r.URL
	u.Path, u.RawPath = path, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
	return &u
}

// values reads the names in a pattern of net/http out of an escaped path that fits it.
func values(pattern, escaped string) map[string]string {
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
