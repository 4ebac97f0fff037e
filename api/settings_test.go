package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A section of the configuration is read whole; what is unknown or cannot be meant is an
// error that names it.
func TestOptionsOf(t *testing.T) {
	o, notes, err := OptionsOf(CherryPy, map[string]any{
		"port": int64(8000), "host": "127.0.0.1", "ssl_crt": "c", "ssl_key": "k", "ssl_chain": "ch", "webhook_url": "/hooks/", "webhook_disable_auth": true,
		"thread_pool": int64(100), "expire_responses": false, "log_access_file": "x", "max_request_body_size": int64(1048576), "cors_origin": []any{"https://a"}, "debug": true, "root_prefix": "/salt/",
	}, []string{"local"}, 7*time.Second)
	if err != nil || o.Port != 8000 || o.Host != "127.0.0.1" || o.Cert != "c" || o.Key != "k" || o.Chain != "ch" || o.WebhookURL != "/hooks" || !o.OpenWebhooks ||
		o.MaxBody != 1<<20 || o.Origins[0] != "https://a" || !o.Debug || o.Root != "/salt" || o.RunnerTime != 7*time.Second || o.Clients[0] != "local" {
		t.Errorf("%+v %v", o, err)
	}
	if all := strings.Join(notes, "\n"); !strings.Contains(all, "thread_pool is not needed") || !strings.Contains(all, "log_access_file has no effect") || len(notes) != 3 {
		t.Errorf("%q", notes)
	}
	if o, _, err := OptionsOf(Tornado, map[string]any{"port": 8001, "address": "::1", "disable_ssl": "True", "websockets": true}, nil, 0); err != nil || o.Host != "::1" || !o.WebSockets || !o.DisableTLS {
		t.Errorf("%+v %v", o, err)
	}
	for word, raw := range map[string]map[string]any{
		"port":            {"disable_ssl": true},
		"port is 70000":   {"port": 70000, "disable_ssl": true},
		"prot":            {"port": 1, "prot": 1, "disable_ssl": true},
		"websockets":      {"port": 1, "websockets": true, "disable_ssl": true},
		"ssl_crt and ssl": {"port": 1},
		"debug is":        {"port": 1, "debug": "perhaps"},
		"host is":         {"port": 1, "host": 5, "disable_ssl": true},
		"cors_origin":     {"port": 1, "cors_origin": 5, "disable_ssl": true},
		"root_prefix":     {"port": 1, "root_prefix": "salt", "disable_ssl": true},
		"webhook_url":     {"port": 1, "webhook_url": "/", "disable_ssl": true},
		"app is":          {"port": 1, "app": 5, "disable_ssl": true},
		"static is":       {"port": 1, "static": true, "disable_ssl": true},
	} {
		if _, _, err := OptionsOf(CherryPy, raw, nil, 0); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// The document has each route of the table, and no other, and what it says of tokens and
// methods is so.
func TestOpenAPI(t *testing.T) {
	for _, d := range []Dialect{CherryPy, Tornado} {
		f := newFake()
		s := serve(t, f, func(o *Options) { o.Dialect, o.WebSockets, o.WebhookURL, o.Static = d, true, "/hooks", staticFolder(t) })
		var doc struct {
			OpenAPI string
			Paths   map[string]map[string]struct {
				OperationID string
				Security    []any
				Parameters  []struct{ Name, In string }
				RequestBody struct {
					Content map[string]struct {
						Schema map[string]string
					}
				}
				Responses map[string]any
			}
			Components map[string]map[string]any
		}
		w := ask(s, "GET", "/openapi.json", "", "")
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || doc.OpenAPI != "3.1.0" {
			t.Fatal(err, doc.OpenAPI)
		}
		ids, n := map[string]bool{}, 0
		for path, ops := range doc.Paths {
			for m, op := range ops {
				n++
				if ids[op.OperationID] {
					t.Errorf("%s is there twice", op.OperationID)
				}
				ids[op.OperationID] = true
				place := path
				for _, p := range op.Parameters {
					if p.In == "path" {
						place = strings.ReplaceAll(place, "{"+p.Name+"}", "20240101000000000001")
					}
				}
				if strings.Contains(place, "{") {
					t.Errorf("%s: a parameter is not described", path)
				}
				if strings.HasPrefix(path, "/ws/{") || strings.Contains(path, "_events/") {
					place = strings.Replace(place, "20240101000000000001", strings.Repeat("0", 64), 1)
				}
				switch path {
				case "/app/{path}":
					place = "/app/main.js"
				case "/static/{path}":
					place = "/static/sub/a.txt"
				}
				got := ask(s, strings.ToUpper(m), place, "", "")
				switch refused := got.Code == 401 || got.Code == 302; {
				case got.Code == 404 || got.Code == 405:
					t.Errorf("%s %s: %d", m, path, got.Code)
				case len(op.Security) > 0 && !refused:
					t.Errorf("%s %s wants a token, and answers %d without", m, path, got.Code)
				}
				for kind, c := range op.RequestBody.Content {
					name := strings.TrimPrefix(c.Schema["$ref"], "#/components/schemas/")
					if doc.Components["schemas"][name] == nil {
						t.Errorf("%s %s %s: there is no schema %q", m, path, kind, name)
					}
				}
			}
		}
		want := 0
		for _, rt := range (handlers{}).routes(dialects[d]) {
			if rt.enabled(Options{Dialect: d, WebSockets: true, Static: "x"}) {
				want++
			}
		}
		if n != want {
			t.Errorf("%d operations of %d routes", n, want)
		}
	}
}

// The tree and a job's account are shown in full.
func TestTreeAndStatus(t *testing.T) {
	f := newFake()
	alice, jid := f.token("alice", time.Hour), "20240101000000000001"
	f.owner[jid] = "alice"
	s := serve(t, f)
	for path, c := range map[string]struct {
		status int
		word   string
	}{
		"/tree": {200, `"id": "top"`}, "/tree/syndic-a/deep": {200, `"id": "db-01"`}, "/tree/top": {200, `"id": "top"`},
		"/tree/nosuch": {404, ""}, "/tree?depth=1": {200, `"below"`}, "/tree?depth=x": {400, "depth"}, "/tree?minions=no": {200, `"minions": []`},
		"/tree?minions=count": {200, `"own": {"minions": 1, "up": 1, "down": 0, "unknown": 0}, "minions": [], "nodes": [{"id": "lost"`}, "/tree?minions=x": {400, "minions is"},
		"/tree?find=db-01":         {200, `{"return": [{"places": [{"path": "syndic-a/deep", "id": "db-01", "node": false, "state": "up", "version": ""}], "more": false}]}`},
		"/tree?find=top":           {200, `{"path": "", "id": "top", "node": true, "state": "up"`},
		"/tree?find=d&prefix=yes":  {200, `[{"path": "syndic-a", "id": "deep", "node": true, "state": "up", "version": ""}, {"path": "syndic-a/deep", "id": "db-01"`},
		"/tree?find=to&prefix=yes": {200, `{"path": "", "id": "top", "node": true, "state": "up", "version": ""}, {"path": "", "id": "top-01"`},
		"/tree?find=d":             {200, `"places": []`},
		"/tree?find=":              {400, "find must be"}, "/tree/deep?find=x": {400, "whole tree"}, "/tree?find=x&prefix=perhaps": {400, "prefix"},
		"/tree?depth=1&minions=no": {200, `"problems": [{"path": "top/lost", "kind": "down", "detail": "not connected`},
		"/tree/deep":               {200, `"problems": []`}, "/tree/lost": {200, `"since": "2024-01-01T00:00:00Z"`},
		"/jobs/" + jid + "/status":          {200, `"expected": 4, "returned": 1, "failed": 1, "missing_count": 1, "missing": [{"id": "web-03", "path": "syndic-a", "reason": "disconnected"}], "waiting_count": 1, "waiting": [{"id": "db-01", "path": "syndic-a/deep"}]`},
		"/jobs/20240101000000000009/status": {404, ""}, "/jobs/abc/status": {404, ""}, "/stats": {200, `"Total Requests"`}, "/health": {200, `"master": true`},
	} {
		if w := ask(s, "GET", path, "", alice); w.Code != c.status || !strings.Contains(w.Body.String(), c.word) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	f.down = errBoom
	if w := ask(s, "GET", "/health", "", ""); w.Code != 503 {
		t.Errorf("%d", w.Code)
	}
}

// A webhook becomes an event that has no token in it.
func TestHook(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	if w := ask(serve(t, f), "POST", "/hook/a/b?x=1", `{"foo":{"bar":[1]}}`, alice); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	e := f.fired[0]
	if e.Tag != "salt/netapi/hook/a/b" || strings.Contains(e.Data.String(), alice) ||
		e.Data.String() != `{"body": "{\"foo\":{\"bar\":[1]}}", "post": {"foo": {"bar": [1]}}, "get": {"x": "1"}, "headers": {"Host": "example.com", "Content-Type": "application/json"}}` {
		t.Errorf("%s %s", e.Tag, e.Data)
	}
	open := serve(t, f, func(o *Options) { o.OpenWebhooks = true })
	if w := ask(open, "POST", "/hook", `{"a":1}`, ""); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	if w := ask(open, "POST", "/hook/"+strings.Repeat("x", 600), `{"a":1}`, ""); w.Code != 400 {
		t.Errorf("%d", w.Code)
	}
}

// A pair of keys comes as a tar; the id cannot make a header or a path.
func TestMakeKeys(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(t, f)
	w := ask(s, "POST", "/keys", `{"mid":"new-01"}`, alice)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/x-tar" || w.Header().Get("Content-Disposition") != `attachment; filename="saltkeys-new-01.tar"` ||
		!strings.Contains(w.Body.String(), "minion.pem") || !strings.Contains(w.Body.String(), "PUB new-01") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for body, want := range map[string]int{
		`{"mid":"top-01"}`: 409, `{"mid":"top-01","force":true}`: 200, `{}`: 400, `{"mid":"../x"}`: 400, `{"mid":"a\r\nX: y"}`: 400, `{"mid":"a\"b"}`: 400, `{"mid":"x","keysize":512}`: 400,
		`{"mid":"x","keysize":"big"}`: 400,
	} {
		if w := ask(s, "POST", "/keys", body, alice); w.Code != want {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	login := `{"mid":"new-02","username":"alice","password":"wonder","eauth":"file"}`
	if w := ask(s, "POST", "/keys", login, ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The answer for a job that exceeds its time has the job id.
func TestCallTime(t *testing.T) {
	f := newFake()
	f.hold = make(chan struct{})
	alice := f.token("alice", time.Hour)
	s := serve(t, f, func(o *Options) { o.CallTime = time.Millisecond })
	if w := ask(s, "POST", "/", jobJSON, alice); w.Code != 504 || !strings.Contains(w.Body.String(), `"jobs": ["2024`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := fmt.Sprint(len(f.published)); got != "1" {
		t.Error(got)
	}
}
