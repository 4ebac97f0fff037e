package pillar

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
)

// one returns a configuration with one source.
func one(name string, conf any) func(*config.Master) {
	return func(c *config.Master) { c.ExtPillar = []any{map[string]any{name: conf}} }
}

func TestSources_HTTP(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"other": 1}`)) }))
	defer other.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, _ := r.BasicAuth()
		switch path := r.URL.EscapedPath(); path {
		case "/m1":
			_, _ = w.Write([]byte(`{"a": {"b": [1, 2.5, null]}}`))
		case "/yaml":
			_, _ = w.Write([]byte("a: 010\nb: [x]\n"))
		case "/login":
			_, _ = w.Write([]byte(`{"user": "` + user + ":" + pass + ":" + r.Header.Get("X-A") + `"}`)) //nolint:gosec // what came is what is looked at
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/list":
			_, _ = w.Write([]byte(`[1]`))
		default:
			if strings.HasPrefix(path, "/grain/") {
				_, _ = w.Write([]byte(`{"path": "` + path + `"}`)) //nolint:gosec // what came is what is looked at
				return
			}
			http.Error(w, "no", http.StatusInternalServerError)
		}
	}))
	defer srv.Close()
	for _, c := range []struct {
		name string
		conf any
		want string
	}{
		{"http_json", srv.URL + "/%s", `{"a": {"b": [1, 2.5, null]}}`},
		{"http_json", map[string]any{"url": srv.URL + "/%s", "namespace": "n"}, `{"n": {"a": {"b": [1, 2.5, null]}}}`},
		{"http_yaml", map[string]any{"url": srv.URL + "/yaml"}, `{"a": 10, "b": ["x"]}`},
		{"http_json", map[string]any{"url": srv.URL + "/login", "username": "u", "password": "p", "header_dict": map[string]any{"X-A": "h"}}, `{"user": "u:p:h"}`},
		{"http_json", map[string]any{"url": srv.URL + "/grain/<role>", "with_grains": true}, `{"path": "/grain/..%2F..%2Fm2"}`},
		{"http_json", srv.URL + "/list", "not a mapping"},
		{"http_json", srv.URL + "/nope", "500 Internal Server Error"},
		{"http_json", srv.URL + "/away", "redirect to another server"},
		{"http_json", map[string]any{"url": srv.URL + "/grain/<nope>", "with_grains": true}, "has no grain nope"},
		{"http_json", map[string]any{"url": "file:///etc/passwd"}, "neither http:// nor https://"},
		{"http_json", map[string]any{"uri": srv.URL}, "unexpected keyword argument 'uri'"},
	} {
		r := newRig(t, nil, one(c.name, c.conf))
		p := r.get(func(q *Request) { q.Grains.Set("role", "../../m2") })
		if strings.HasPrefix(c.want, "{") {
			r.want(c.name, p, c.want)
		} else if !strings.Contains(asJSON(t, p), c.want) || p.Len() != 1 {
			t.Errorf("%v: %s, want %s", c.conf, asJSON(t, p), c.want)
		}
	}
}

func TestSources_Commands(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"cmd_yaml", "echo 'a: %s'", `{"a": "m1"}`},
		{"cmd_yaml", "true", `{}`},
		{"cmd_json", `echo '{"a": [1, "%s"]}'`, `{"a": [1, "m1"]}`},
		{"cmd_json", "echo $HOME", "bad JSON"},
		{"cmd_yaml", "echo 'a: 1'; echo why >&2; exit 3", "exit status 3: why"},
		{"cmd_yaml", "echo 'a: ['", "line 1"},
		{"cmd_yaml", "echo text", "gives a text, not a mapping"},
		{"cmd_json", "/no/such/program", "no such file"},
		{"cmd_yaml", "yes", "more than"},
	} {
		r := newRig(t, nil, one(c.name, c.command))
		p := r.get()
		if strings.HasPrefix(c.want, "{") {
			r.want(c.command, p, c.want)
		} else if !strings.Contains(asJSON(t, p), c.want) || p.Len() != 1 {
			t.Errorf("%s: %s, want %s", c.command, asJSON(t, p), c.want)
		}
	}
}

func TestSources_FileTree(t *testing.T) {
	files := map[string]string{
		"/tree/hosts/m1/a/x": "own\n", "/tree/nodegroups/webs/a/x": "group\n", "/tree/nodegroups/webs/a/y": "y\n\n", "/tree/nodegroups/dbs/z": "z",
		"/tree/hosts/m2/a/secret": "secret", "/tree/hosts/m1/t": "{{ grains.role }}: 1",
	}
	groups := func(c *config.Master) { c.Nodegroups = map[string]any{"webs": "G@role:web", "dbs": "G@role:db"} }
	r := newRig(t, files, groups)
	for _, c := range []struct {
		conf map[string]any
		want string
	}{
		{map[string]any{}, `{"a": {"x": "own", "y": "y\n"}, "t": "{{ grains.role }}: 1"}`},
		{map[string]any{"keep_newline": true}, `{"a": {"x": "own\n", "y": "y\n\n"}, "t": "{{ grains.role }}: 1"}`},
		{map[string]any{"keep_newline": []any{"a/y"}}, `{"a": {"x": "own", "y": "y\n\n"}, "t": "{{ grains.role }}: 1"}`},
	} {
		c.conf["root_dir"] = r.dir + "/tree"
		r.cfg.ExtPillar = []any{map[string]any{"file_tree": c.conf}}
		r.open()
		r.want("file_tree", texts(r.get()), c.want)
	}
	r.cfg.ExtPillar = []any{map[string]any{"file_tree": map[string]any{"root_dir": r.dir + "/none"}}}
	r.open()
	if p := r.get(); !strings.Contains(asJSON(t, p), "does not exist") {
		t.Errorf("%s", asJSON(t, p))
	}
}

func TestSources_Stack(t *testing.T) {
	r := newRig(t, map[string]string{
		"/stack/stack.cfg":     "core/*.yml\n{% if __grains__.role == 'web' %}roles/web.yml{% endif %}\n\nnone.yml\n",
		"/stack/core/1.yml":    "l: [1]\nm: {a: 1, b: 2}\nseen: first\n",
		"/stack/core/2.yml":    "l: [2]\nm: {__: overwrite, c: 3}\nwas: \"{{ stack.seen }}\"\nid: {{ minion_id }}\n",
		"/stack/roles/web.yml": "l: [{__: merge-first}, 0]\nn: {x: 1}\n",
		"/stack/dev.cfg":       "only.yml", "/stack/only.yml": "only: web",
	})
	r.cfg.ExtPillar = []any{map[string]any{"stack": r.dir + "/stack/stack.cfg"}}
	r.open()
	r.want("stack", r.get(), `{"l": [0, 1, 2], "m": {"c": 3}, "seen": "first", "was": "first", "id": "m1", "n": {"x": 1}}`)
	r.cfg.ExtPillar = []any{map[string]any{"stack": map[string]any{"grains:role": map[string]any{"web": r.dir + "/stack/dev.cfg", "db": r.dir + "/stack/stack.cfg"}}}}
	r.open()
	r.want("by a grain", r.get(), `{"only": "web"}`)
	r.file("/stack/only.yml", "{{ nope.x }}")
	if p := r.get(); !strings.Contains(asJSON(t, p), "Stack pillar template render error in") {
		t.Errorf("%s", asJSON(t, p))
	}
}

// An unavailable source is logged at the start, with the alternative, and reported to each minion.
func TestSources_Unserved(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "a: 1"}, one("vault", "x"))
	if log := r.log.text(); !strings.Contains(log, "vault") || !strings.Contains(log, "cmd_json") {
		t.Errorf("the log at the start: %s", log)
	}
	if p := r.get(); !p.Has("a") || !strings.Contains(asJSON(t, p), "Specified ext_pillar interface vault is unavailable") {
		t.Errorf("%s", asJSON(t, p))
	}
}
