//go:build saltpeer

package interop

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/lab/peers"
)

// apiUsers is external_auth of the tests: alice may do everything, bob test.ping on the
// minion near alone, carol runners, dan no more than look up jobs.
const apiUsers = `external_auth:
  auto:
    alice: ['.*', '@runner', '@wheel']
    bob: [{near: [test.ping]}]
    carol: ['@runner']
    dan: ['@jobs']
  sharedsecret:
    frank: ['.*']
sharedsecret: s3cret
netapi_enable_clients: [local, local_async, local_batch, runner, runner_async, wheel, wheel_async]
rest_cherrypy: {host: HOST, port: 8000, disable_ssl: true}`

// TestRealSaltAPI has Salt's own salt-api serve a master of ours, over two tiers: logins by
// its tokens, commands with a wrong password, and users who
// may do less than they try.
func TestRealSaltAPI(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		host := address()
		m := w.master(nil, "top", "order_masters: True", "timeout: 3", "gather_job_timeout: 3", strings.ReplaceAll(apiUsers, "HOST", host))
		node := w.lower(nil, "node", m)
		w.minion(nil, "near", m)
		w.minion(p, "far", node)
		m.accept("near", "node")
		node.accept("far")
		m.joined(0, "syndic", "node")
		m.joined(0, "minion", "near")
		node.joined(0, "minion", "far")
		api, err := peers.Launch("salt-api", w.dir+"/api.log", p.Bin("salt-api"), "-c", m.Conf)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = api.Stop(5 * time.Second) })
		c := apiClient{t, "http://" + host + ":8000"}
		waiting.Within(t, patience, "salt-api answers", func() bool {
			r, err := http.Get(c.base + "/")
			if err != nil {
				return false
			}
			return r.Body.Close() == nil
		})
		login := func(user, password, eauth string) string {
			_, body := c.post("/login", "", url.Values{"username": {user}, "password": {password}, "eauth": {eauth}})
			var v struct{ Return []struct{ Token string } }
			if json.Unmarshal([]byte(body), &v) != nil || len(v.Return) != 1 {
				return ""
			}
			return v.Return[0].Token
		}
		if got := login("frank", "wrong", "sharedsecret"); got != "" {
			t.Errorf("a wrong secret gives the token %q", got)
		}
		if got := login("nobody", "x", "auto"); got != "" {
			t.Errorf("a user without rules gets the token %q", got)
		}
		tokens := map[string]string{"": "", "none": "deadbeef00"}
		for _, u := range []string{"alice", "bob", "carol", "dan"} {
			if tokens[u] = login(u, "x", "auto"); tokens[u] == "" {
				t.Fatalf("%s gets no token", u)
			}
		}
		local := func(tgt, fun string) url.Values {
			return url.Values{"client": {"local"}, "tgt": {tgt}, "fun": {fun}}
		}
		call := func(client, fun string) url.Values { return url.Values{"client": {client}, "fun": {fun}} }
		for _, x := range []struct {
			user string
			low  url.Values
			code int
			want string // in the body; of a refusal: not there are the minions
		}{
			{"alice", local("*", "test.ping"), 200, `{"return": [{"far": true, "near": true}]}`},
			{"bob", local("near", "test.ping"), 200, `{"return": [{"near": true}]}`},
			{"bob", local("*", "test.ping"), 401, ""},
			{"bob", local("far", "test.ping"), 401, ""},
			{"bob", local("near", "test.version"), 401, ""},
			{"bob", local("n*", "test.ping"), 200, `{"return": [{"near": true}]}`},
			{"bob", call("runner", "jobs.active"), 401, ""},
			{"bob", call("wheel", "key.list_all"), 401, ""},
			{"carol", call("runner", "test.arg"), 200, `"args"`},
			{"carol", call("wheel", "key.list_all"), 401, ""},
			{"carol", local("near", "test.ping"), 401, ""},
			{"dan", call("runner", "jobs.active"), 200, `{"return": [{}]}`},
			{"dan", call("runner", "manage.up"), 401, ""},
			{"alice", call("wheel", "key.list_all"), 200, `"near"`},
			{"none", local("*", "test.ping"), 401, ""},
			{"", local("*", "test.ping"), 401, ""},
		} {
			code, body := c.post("/", tokens[x.user], x.low)
			if code != x.code || !strings.Contains(ordered(body), x.want) || code != 200 && (strings.Contains(body, "true") || strings.Contains(body, "near")) {
				t.Errorf("%s: %v: %d %s, want %d %s", x.user, x.low, code, body, x.code, x.want)
			}
		}
		// Beside root's key, which salt-api sends along.
		for _, cred := range []url.Values{
			{"username": {"nobody"}, "password": {"WRONG"}, "eauth": {"pam"}},
			{"username": {"frank"}, "password": {"WRONG"}, "eauth": {"sharedsecret"}},
			{"token": {"deadbeef00"}},
			{"token": {tokens["bob"]}},
		} {
			low := local("near", "cmd.run")
			low.Set("arg", "id -un")
			for k, v := range cred {
				low[k] = v
			}
			if code, body := c.post("/run", "", low); strings.Contains(body, "root") {
				t.Errorf("S0: %v runs a command: %d %s", cred, code, body)
			}
		}
		low := local("near", "test.echo")
		for k, v := range (url.Values{"arg": {"good"}, "username": {"frank"}, "password": {"s3cret"}, "eauth": {"sharedsecret"}}) {
			low[k] = v
		}
		if code, body := c.post("/run", "", low); code != 200 || !strings.Contains(body, `"near": "good"`) {
			t.Errorf("a good password: %d %s", code, body)
		}
		if code, body := c.get("/jobs", tokens["alice"]); code != 200 || !strings.Contains(body, `"Function": "test.ping"`) {
			t.Errorf("GET /jobs: %d %s", code, body)
		}
		if code, body := c.get("/minions", tokens["alice"]); code != 200 || !strings.Contains(body, `"far"`) {
			t.Errorf("GET /minions: %d %s", code, body)
		}
		commandsAtSaltsAPI(t, m, c.base)
		// Salt's own command under a login.
		r := m.run(p, "salt", "--out=json", "-a", "auto", "--username", "bob", "--password", "x", "near", "test.ping")
		complete(t, r, 0, "near")
		if r = m.run(p, "salt", "--out=json", "-a", "auto", "--username", "bob", "--password", "x", "far", "test.ping"); strings.Contains(r.out, "true") {
			t.Errorf("bob reaches far: %s", r.text())
		}
	})
}

// commandsAtSaltsAPI has our commands go through Salt's own API: what that can do comes out as at
// the master, what it cannot is refused by name.
func commandsAtSaltsAPI(t *testing.T, m *node, base string) {
	t.Helper()
	login := []string{"--api", base, "-a", "auto", "--username", "alice", "--password", "x"}
	for _, x := range []struct {
		line []string
		code int
		want string
	}{
		{[]string{"salt", "*", "test.ping", "--out=json", "--static"}, 0, `"far": true`},
		{[]string{"salt", "-L", "near,ghost", "test.ping", "--out=txt"}, 1, "near: True"},
		{[]string{"salt", "nosuch*", "test.ping"}, 2, "No minions matched the target"},
		{[]string{"salt", "near", "test.arg", "1", "k=v", "--out=json"}, 0, `"k": "v"`},
		{[]string{"salt", "near", "test.nosuch"}, 1, "'test.nosuch' is not available."},
		{[]string{"salt", "near", "test.ping", "--async"}, 0, "Executed command with job ID"},
		{[]string{"salt", "near", "test.ping", "--queue", "1m"}, 2, "Salt's own API does not support --queue"},
		{[]string{"salt", "-b", "1", "*", "test.ping"}, 0, "near"},
		{[]string{"salt-run", "test.arg", "1", "k=v", "--out=json"}, 0, `"k": "v"`},
		{[]string{"salt-run", "manage.up"}, 0, "- far"},
		{[]string{"salt-run", "no.such"}, 1, "Salt's own API gives no reason"},
		{[]string{"salt-run", "auth.mk_token", "username=bob", "password=x", "eauth=auto"}, 1, "Salt's own API cannot fetch the result"},
		{[]string{"salt-key", "-L"}, 0, "near"},
	} {
		as := login
		if x.line[0] == "salt-key" { // whose -a is another option
			as = append([]string{"--api", base, "--auth"}, login[3:]...)
		}
		r := m.run(nil, x.line[0], append(x.line[1:len(x.line):len(x.line)], as...)...)
		if r.code != x.code || !strings.Contains(r.text(), x.want) {
			t.Errorf("%v through Salt's own API: %s; want exit %d and %q", x.line, r.text(), x.code, x.want)
		}
	}
	// A preview of the target needs access to the tree.
	bob := append(login[:2:2], "-a", "auto", "--username", "bob", "--password", "x")
	if r := m.run(nil, "salt", append([]string{"near", "test.ping", "--preview-target"}, bob...)...); r.code == 0 || !strings.Contains(r.text(), "Salt's own API cannot preview") {
		t.Errorf("a preview for bob: %s", r.text())
	}
}

// apiClient speaks to a salt-api.
type apiClient struct {
	t    *testing.T
	base string
}

func (c apiClient) post(path, token string, form url.Values) (int, string) {
	return c.do("POST", path, token, strings.NewReader(form.Encode()))
}

func (c apiClient) get(path, token string) (int, string) { return c.do("GET", path, token, nil) }

func (c apiClient) do(method, path, token string, body io.Reader) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	client := http.Client{Timeout: patience}
	a, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		c.t.Error(err)
	}
	return a.StatusCode, string(b)
}

// ordered writes JSON with the keys sorted, as Python would with a blank after commas.
func ordered(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(string(b))
}
