package api

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/api/page"
)

// staticFolder is a folder to serve, with a secret beside it and a way to that in it.
func staticFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"static/sub/a.txt": "hello", "static/.hidden": "SECRET", "secret": "SECRET", "ui.html": "<p>mine</p>"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "static", "link")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "static")
}

// The page and the static files need no token. Nothing beside them is served.
func TestFiles(t *testing.T) {
	static := staticFolder(t)
	with := func(change func(*Options)) *Server { return serve(t, newFake(), change) }
	plain := with(func(*Options) {})
	root := with(func(o *Options) { o.Root, o.Static = "/salt", static })
	mine := with(func(o *Options) {
		o.App, o.AppPath, o.Static, o.StaticPath = filepath.Join(filepath.Dir(static), "ui.html"), "/ui", static, "/files/here"
	})
	none := with(func(o *Options) { o.NoApp = true })
	moved := with(func(o *Options) { o.Dialect, o.AppPath = Tornado, "/look" })
	for _, c := range []struct {
		s            *Server
		path         string
		status       int
		kind, inside string
	}{
		{plain, "/app", 200, "text/html; charset=utf-8", `src="app/main.js"`},
		{plain, "/app/main.js", 200, "text/javascript; charset=utf-8", "import"},
		{plain, "/app/style.css", 200, "text/css; charset=utf-8", "--bg"},
		{plain, "/app/", 302, "", ""},
		{plain, "/app/nosuch.js", 404, "application/json", ""},
		{with(func(*Options) {}), "/app/logins.json", 200, "application/json", `{"logins":[]}`},
		{with(func(o *Options) { o.Logins = []string{"file", "ldap"} }), "/app/logins.json", 200, "application/json", `{"logins":["file","ldap"]}`},
		{none, "/app/logins.json", 404, "application/json", ""},
		{plain, "/app/index.html", 404, "application/json", ""},
		{plain, "/app/../routes.go", 404, "application/json", ""},
		{plain, "/app/%2e%2e/routes.go", 404, "application/json", ""},
		{plain, "/app/..%2fpage.go", 404, "application/json", ""},
		{plain, "/static/sub/a.txt", 404, "application/json", ""},
		{root, "/salt/app", 200, "text/html; charset=utf-8", ""},
		{root, "/app", 404, "application/json", ""},
		{root, "/salt/static/sub/a.txt", 200, "text/plain; charset=utf-8", "hello"},
		{root, "/salt/static/sub/a.txt/", 404, "application/json", ""},
		{root, "/salt/static/sub", 404, "application/json", ""},
		{root, "/salt/static", 404, "application/json", ""},
		{root, "/salt/static/.hidden", 404, "application/json", ""},
		{root, "/salt/static/link", 404, "application/json", ""},
		{root, "/salt/static/../secret", 404, "application/json", ""},
		{root, "/salt/static/..%2fsecret", 404, "application/json", ""},
		{root, "/salt/static/sub%2f..%2f..%2fsecret", 404, "application/json", ""},
		{mine, "/ui", 200, "text/html; charset=utf-8", "<p>mine</p>"},
		{mine, "/ui/some/state", 200, "text/html; charset=utf-8", "<p>mine</p>"},
		{mine, "/app", 404, "application/json", ""},
		{mine, "/files/here/sub/a.txt", 200, "text/plain; charset=utf-8", "hello"},
		{none, "/app", 404, "application/json", ""},
		{none, "/app/main.js", 404, "application/json", ""},
		{moved, "/look", 200, "text/html; charset=utf-8", `src="look/main.js"`},
		{moved, "/look/main.js", 200, "text/javascript; charset=utf-8", ""},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r := httptest.NewRequest(method, c.path, nil)
			r.Header.Set("Accept", "text/css,image/png") // as browsers ask for parts of a page
			if c.status == 404 {
				r.Header.Del("Accept")
			}
			w := httptest.NewRecorder()
			c.s.ServeHTTP(w, r)
			h := w.Header()
			if w.Code != c.status || (c.kind != "" && h.Get("Content-Type") != c.kind) || h.Get("X-Content-Type-Options") != "nosniff" || strings.Contains(w.Body.String(), "SECRET") {
				t.Errorf("%s %s: %d %v %s", method, c.path, w.Code, h, w.Body)
			}
			if method == "HEAD" && w.Body.Len() > 0 || method == "GET" && !strings.Contains(w.Body.String(), c.inside) {
				t.Errorf("%s %s: %s", method, c.path, w.Body)
			}
			if ours := c.status == 200 && (c.s == plain || c.s == moved || c.path == "/salt/app"); ours && (h.Get("Content-Security-Policy") != page.Policy || h.Get("Referrer-Policy") != "no-referrer" ||
				h.Get("Cross-Origin-Opener-Policy") != "same-origin" || h.Get("Etag") == "") {
				t.Errorf("%s: %v", c.path, h)
			}
		}
	}
	if got := ask(root, "GET", "/salt/app/", "", "").Header().Get("Location"); got != "/salt/app" {
		t.Errorf("sent on to %q", got)
	}
	if w := ask(plain, "POST", "/app", "{}", ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if err := os.Remove(filepath.Join(filepath.Dir(static), "ui.html")); err != nil {
		t.Fatal(err)
	}
	if w := ask(mine, "GET", "/ui", "", ""); w.Code != 404 {
		t.Errorf("a page that has gone: %d", w.Code)
	}
}

// Slow readers of files do not block the API.
func TestSlowLoads(t *testing.T) {
	s := serve(t, newFake(), func(o *Options) { o.Static, o.MaxInFlight = staticFolder(t), 1 })
	for range maxLoads {
		s.handlers.files.loads <- struct{}{}
	}
	if w := ask(s, "GET", "/static/sub/a.txt", "", ""); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := ask(s, "GET", "/app", "", ""); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	<-s.handlers.files.loads
	r := httptest.NewRequest(http.MethodGet, "/static/sub/a.txt", nil)
	w := &reader{ResponseRecorder: httptest.NewRecorder()}
	w.meanwhile = func() {
		if got := ask(s, "GET", "/health", "", ""); got.Code != 200 {
			t.Errorf("while a file is sent: %d", got.Code)
		}
	}
	s.ServeHTTP(w, r)
	if w.Code != 200 || w.meanwhile != nil || len(s.handlers.files.loads) != maxLoads-1 {
		t.Errorf("%d, %d at work", w.Code, len(s.handlers.files.loads))
	}
}

// reader does something between the pieces that it reads.
type reader struct {
	*httptest.ResponseRecorder
	meanwhile func()
}

func (r *reader) Write(b []byte) (int, error) {
	if do := r.meanwhile; do != nil {
		r.meanwhile = nil
		do()
	}
	return r.ResponseRecorder.Write(b)
}

// Invalid options are errors at the start.
func TestWrongFiles(t *testing.T) {
	static := staticFolder(t)
	for word, change := range map[string]func(*Options){
		"nosuch.html":           func(o *Options) { o.App = "/nosuch.html" },
		"is not a regular file": func(o *Options) { o.App = static },
		"static files":          func(o *Options) { o.Static = static + "/nosuch" },
		"app_path /tree":        func(o *Options) { o.AppPath = "/tree" },
		"app_path /a/b":         func(o *Options) { o.AppPath = "/a/b" },
		`app_path "/a b"`:       func(o *Options) { o.AppPath = "/a b" },
		"static_path /jobs/x":   func(o *Options) { o.Static, o.StaticPath = static, "/jobs/x" },
		"path of app_path":      func(o *Options) { o.Static, o.StaticPath = static, "/app/files" },
		"path of webhook_url":   func(o *Options) { o.AppPath, o.WebhookURL = "/x", "/x/y" },
		"webhook_url /keys/new": func(o *Options) { o.WebhookURL = "/keys/new" },
	} {
		o := Options{Dialect: CherryPy, DisableTLS: true, Log: quiet}
		change(&o)
		if _, err := newServer(o, newFake()); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
	o, notes, err := OptionsOf(CherryPy, map[string]any{"port": 1, "disable_ssl": true, "app": "/srv/ui.html", "app_path": "ui", "static": "/srv/s", "static_path": "/files/"}, nil, 0)
	if err != nil || len(notes) > 0 || o.App != "/srv/ui.html" || o.AppPath != "/ui" || o.Static != "/srv/s" || o.StaticPath != "/files" || o.NoApp {
		t.Errorf("%+v %v %v", o, notes, err)
	}
	for _, off := range []any{false, "False", "no"} {
		if o, _, err := OptionsOf(Tornado, map[string]any{"port": 1, "disable_ssl": true, "app": off}, nil, 0); err != nil || !o.NoApp || o.App != "" {
			t.Errorf("%v: %+v %v", off, o, err)
		}
	}
}
