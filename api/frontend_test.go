package api

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// chromium is what a browser sends when its user opens an address.
const chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// A browser gets the front end for each path outside app_path and static_path, as with
// rest_cherrypy; a program gets the API.
func TestFrontEnd(t *testing.T) {
	static := staticFolder(t)
	mine := serve(t, newFake(), func(o *Options) {
		o.App, o.Static, o.StaticPath = filepath.Join(filepath.Dir(static), "ui.html"), static, "/files"
	})
	root := serve(t, newFake(), func(o *Options) { o.Root, o.App = "/salt", filepath.Join(filepath.Dir(static), "ui.html") })
	plain := serve(t, newFake(), func(*Options) {})
	tornado := serve(t, newFake(), func(o *Options) { o.Dialect, o.App = Tornado, filepath.Join(filepath.Dir(static), "ui.html") })
	for _, c := range []struct {
		s            *Server
		method, path string
		accept       string
		html         bool
	}{
		{mine, "GET", "/", chromium, true},
		{mine, "HEAD", "/", chromium, true},
		{mine, "GET", "/minions", chromium, true},
		{mine, "GET", "/login", chromium, true},
		{mine, "GET", "/no/such/path", chromium, true},
		{mine, "GET", "/?x=1", "text/*", true},
		{mine, "GET", "/app/minions", "*/*", true}, // app_path itself
		{mine, "GET", "/files/sub/a.txt", chromium, false},
		{mine, "GET", "/", "application/json", false},
		{mine, "GET", "/", "*/*", false},
		{mine, "GET", "/", "", false},
		{mine, "GET", "/", "application/json, text/plain, */*", false},
		{mine, "GET", "/events", "text/event-stream", false},
		{mine, "GET", "/", "application/json, text/html;q=0", false},
		{mine, "POST", "/login", chromium, false},
		{root, "GET", "/salt/keys", chromium, true},
		{root, "GET", "/saltx", chromium, false},
		{root, "GET", "/", chromium, false},
		{plain, "GET", "/", chromium, false},
		{tornado, "GET", "/", chromium, false},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		if c.accept != "" {
			r.Header.Set("Accept", c.accept)
		}
		w := httptest.NewRecorder()
		c.s.ServeHTTP(w, r)
		html := w.Code == http.StatusOK && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && (c.method == "HEAD" || w.Body.String() == "<p>mine</p>")
		if html != c.html {
			t.Errorf("%s %s (%s): %d %s %.60q", c.method, c.path, c.accept, w.Code, w.Header().Get("Content-Type"), w.Body.String())
		}
	}
}
