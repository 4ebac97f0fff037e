package daemons

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
	"github.com/momtree/mom/mom/saltkey"
	"github.com/momtree/mom/mom/saltrun"
)

// gatewayHost is a gateway in a folder of its own.
type gatewayHost struct {
	dir, url, ca string
	http         *http.Client
	out          *bytes.Buffer // its log, whole once it has ended
	stop         func() error
}

// startGateway runs mom api in this process as on a host that has nothing of the master's
// but the certificate of its API, and a token for events.
func startGateway(t *testing.T, upstream, ca, token string) *gatewayHost {
	t.Helper()
	g := &gatewayHost{dir: t.TempDir(), out: &bytes.Buffer{}}
	addr := freeAddr(t)
	g.url, g.ca = "https://"+addr, certificate(t, g.dir)
	conf := fmt.Sprintf("root_dir: %s\nlog_file: %s\napi_logfile: %s\napi_pidfile: %s\nlog_level: info\napi_upstream: %s\napi_upstream_ca: %s\n%s",
		g.dir, filepath.Join(g.dir, "log"), filepath.Join(g.dir, "log"), filepath.Join(g.dir, "pid"), upstream, ca, apiSection(addr, g.dir))
	if token != "" {
		file := filepath.Join(g.dir, "token")
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		conf += "api_upstream_token_file: " + file + "\n"
	}
	if err := os.WriteFile(filepath.Join(g.dir, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := apiCommand()
	cmd.SetArgs([]string{"-c", g.dir})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetErr(g.out)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	g.stop = func() error {
		cancel()
		err := <-done
		done <- err
		return err
	}
	pool := x509.NewCertPool()
	pem, err := os.ReadFile(g.ca)
	if err != nil {
		t.Fatal(err)
	}
	pool.AppendCertsFromPEM(pem)
	g.http = &http.Client{Timeout: momtest.Patience, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	t.Cleanup(func() {
		g.http.CloseIdleConnections()
		if err := g.stop(); err != nil {
			t.Error(err)
		}
	})
	end := time.Now().Add(momtest.Patience)
	for {
		resp, err := g.http.Get(g.url + "/login")
		if err == nil {
			resp.Body.Close()
			return g
		}
		select {
		case err := <-done:
			done <- err
			t.Fatalf("the gateway does not start: %v\n%s", err, g.out)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("the gateway does not answer: %v", err)
		}
	}
}

// ask makes a request and gives status and text.
func (g *gatewayHost) ask(t *testing.T, token, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := g.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func (a apiTree) token(t *testing.T, url, ca, user string) string {
	t.Helper()
	c, err := remote.New(remote.Options{URL: url, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tok, err := c.Login(t.Context(), client.Login{Username: user, Password: "secret-of-" + user, Eauth: "file"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return tok.Token
}

// A gateway serves what the master's API does, to whom the master allows it, and has nothing
// of the master's near it.
func TestGateway(t *testing.T) {
	a := growAPITree(t, "top: top-01\n  syndic-a: web-01\n")
	way := newCutter(t, a.addr)
	g := startGateway(t, "https://"+way.addr, a.ca, a.token(t, a.url, a.ca, "ann"))
	ann, bob := a.token(t, g.url, g.ca, "ann"), a.token(t, g.url, g.ca, "bob")

	through := append([]string(nil), a.login...)
	through[slices.Index(through, a.url)] = g.url
	through[slices.Index(through, a.ca)] = g.ca
	for _, c := range []struct {
		name      string
		at, there momtest.Ran
	}{
		{"salt", same(a.Run(salt.Command(), "top", "*", "test.ping", "-v")), same(momtest.Run(salt.Command(), "", append([]string{"-c", g.dir, "*", "test.ping", "-v"}, through...)...))},
		{"salt-run", a.Run(saltrun.Command(), "top", "manage.status"), momtest.Run(saltrun.Command(), "", append([]string{"-c", g.dir, "manage.status"}, through...)...)},
		{"salt-key", a.Run(saltkey.Command(), "top", "-L"), momtest.Run(saltkey.Command(), "", append([]string{"-c", g.dir, "-L"}, through...)...)},
	} {
		if c.at != c.there || c.at.Code != 0 {
			t.Errorf("%s: through the gateway %v\nat the master %v", c.name, c.there, c.at)
		}
	}
	_, text := g.ask(t, ann, "POST", "/", `[{"client": "local_async", "tgt": "*", "fun": "test.ping"}]`)
	jid := jids.FindString(text)
	if jid == "" {
		t.Fatal(text)
	}
	for _, c := range []struct {
		token, method, path, body string
		status                    int
		has                       string
	}{
		{ann, "GET", "/jobs/" + jid + "?wait=30", "", 200, `"complete": true`},
		{ann, "GET", "/jobs/" + jid + "/status", "", 200, `"expected": 2`},
		{ann, "GET", "/jobs/" + jid + "/stream", "", 200, "mom/job/complete"},
		{ann, "GET", "/jobs/" + jid + "/returns/web-01", "", 200, `"return": true`},
		{ann, "GET", "/jobs/" + jid + "/returns/web-09", "", 404, "is not a minion of this job"},
		{bob, "GET", "/jobs/" + jid + "/returns/web-01", "", 401, ""},
		{ann, "GET", "/jobs", "", 200, jid},
		{ann, "GET", "/jobs/20240101000000000001/stream", "", 400, "keeps no account of job"},
		{ann, "GET", "/tree", "", 200, `"web-01"`},
		{ann, "GET", "/tree/syndic-a", "", 200, `"web-01"`},
		{ann, "GET", "/keys", "", 200, `"top-01"`},
		{ann, "GET", "/minions/web-01", "", 200, `"web-01"`},
		{ann, "GET", "/whoami", "", 200, `"user": "ann"`},
		{ann, "POST", "/", `{"client": "local_batch", "tgt": "*", "fun": "test.ping", "batch": "1"}`, 200, `{"web-01": true}`},
		{ann, "POST", "/", `{"client": "local_subset", "tgt": "web-01", "fun": "test.ping", "subset": 1}`, 200, `"web-01": true`},
		{ann, "POST", "/", `{"client": "local", "tgt": "web-01", "fun": "test.nosuch", "full_return": true}`, 200, `"retcode": 1`},
		{ann, "POST", "/", `{"client": "runner", "fun": "no.such"}`, 500, "'no.such' is not available."},
		{ann, "POST", "/", `{"client": "local", "tgt": "web-(", "tgt_type": "pcre", "fun": "test.ping"}`, 400, "invalid target"},
		{"", "POST", "/run", `[{"client": "local", "tgt": "web-01", "fun": "test.ping", "username": "ann", "password": "secret-of-ann", "eauth": "file"}]`, 200, `"web-01": true`},
		{"", "POST", "/run", `[{"client": "local", "tgt": "web-01", "fun": "test.ping", "username": "ann", "password": "wrong", "eauth": "file"}]`, 401, ""},
		{"", "GET", "/health", "", 200, "true"},
		{ann, "GET", "/preview?tgt=*&fun=test.ping", "", 200, `"count": 2`},
		{bob, "GET", "/preview?tgt=*&fun=cmd.run", "", 200, `"refused"`},
		{ann, "POST", "/", `{"client": "wheel_async", "fun": "key.list_all"}`, 200, "salt/wheel/"},
		{ann, "GET", "/jobs/20240101000000000001/status", "", 404, "unknown job"},
		// What is not allowed at the master is not allowed here.
		{bob, "POST", "/", `{"client": "local", "tgt": "web-01", "fun": "test.ping"}`, 200, `"web-01": true`},
		{bob, "POST", "/", `{"client": "local", "tgt": "web-01", "fun": "cmd.run", "arg": ["id"]}`, 401, ""},
		{bob, "POST", "/", `{"client": "runner", "fun": "manage.up"}`, 401, ""},
		{bob, "POST", "/", `{"client": "wheel", "fun": "key.list_all"}`, 401, ""},
		{bob, "GET", "/keys", "", 401, ""},
		{bob, "GET", "/tree", "", 401, ""},
		{"", "GET", "/tree", "", 401, ""},
		{strings.Repeat("ab", 32), "GET", "/tree", "", 401, ""},
		{strings.Repeat("ab", 32), "POST", "/", `{"client": "local", "tgt": "*", "fun": "test.ping"}`, 401, ""},
		{ann, "POST", "/hook/x", `{}`, 501, "send webhooks to the API of the master"},
	} {
		status, text := g.ask(t, c.token, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, status, text, c.status, c.has)
		}
	}
	eventsOfOthers(t, g, ann, bob)
	eventsOverACut(t, a, g, way, ann)

	if status, _ := g.ask(t, bob, "POST", "/logout", ""); status != 200 {
		t.Errorf("logout: %d", status)
	}
	if status, _ := g.ask(t, bob, "GET", "/whoami", ""); status != 401 {
		t.Errorf("after its logout a token holds: %d", status)
	}
	err := filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, "_key") || name == "pki" {
			t.Errorf("the gateway has %s", path)
		}
		return err
	})
	if err := errors.Join(err, g.stop()); err != nil {
		t.Error(err)
	}
	for _, secret := range []string{ann, bob, "secret-of"} {
		if strings.Contains(g.out.String(), secret) {
			t.Errorf("the log of the gateway has %s:\n%s", secret, g.out)
		}
	}
}

// eventsOfOthers: a gateway hears everything, and lets whoever may not hear all have what came
// of his own jobs alone, those that began before he listened too.
func eventsOfOthers(t *testing.T, g *gatewayHost, ann, bob string) {
	t.Helper()
	c, err := remote.New(remote.Options{URL: g.url, CA: g.ca})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), momtest.Patience)
	defer cancel()
	begin := func(token string) string {
		_, text := g.ask(t, token, "POST", "/", `{"client": "local_async", "tgt": "web-01", "fun": "test.ping"}`)
		return jids.FindString(text)
	}
	e, err := c.With(bob).Events(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	until := func(tag string, heard func(tag string)) {
		for {
			ev, err := e.Next(ctx)
			if err != nil {
				t.Fatalf("before %s: %v", tag, err)
			}
			if ev.Tag == tag {
				return
			}
			heard(ev.Tag)
		}
	}
	// What came of jobs before this one is on the way to bob no more when this one has ended.
	last := begin(bob)
	until("salt/job/"+last+"/complete", func(string) {})
	others, own := begin(ann), begin(bob)
	if others == "" || own == "" {
		t.Fatalf("jobs %q and %q", others, own)
	}
	until("salt/job/"+own+"/ret/web-01", func(tag string) {
		if !strings.Contains(tag, own) && !strings.HasPrefix(tag, "mom/api/") {
			t.Errorf("bob hears %s", tag)
		}
	})
}

// eventsOverACut hears of jobs before and after the master is away for a while; meanwhile
// requests fail with that reason.
func eventsOverACut(t *testing.T, a apiTree, g *gatewayHost, way *cutter, token string) {
	t.Helper()
	c, err := remote.New(remote.Options{URL: g.url, CA: g.ca})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), momtest.Patience)
	defer cancel()
	e, err := c.With(token).Events(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	hear := func(as func(tag string) bool) {
		t.Helper()
		for {
			ev, err := e.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if as(ev.Tag) {
				return
			}
		}
	}
	run := func() string {
		return jids.FindString(a.Run(salt.Command(), "top", "web-01", "test.ping", "--async").Out)
	}
	jid := run()
	hear(func(tag string) bool { return tag == "salt/job/"+jid+"/ret/web-01" })
	way.cut()
	for _, q := range [][3]string{{"GET", "/health", ""}, {"GET", "/tree", ""}, {"POST", "/", `{"client": "local", "tgt": "*", "fun": "test.ping"}`}} {
		if status, text := g.ask(t, token, q[0], q[1], q[2]); status != 503 || !strings.Contains(text, "The master does not answer") {
			t.Errorf("%v while the master is away: %d %s", q, status, text)
		}
	}
	missed := run()
	way.mend(t)
	hear(func(tag string) bool { return tag == "mom/api/lost" })
	hear(func(tag string) bool { return tag == "salt/job/"+missed+"/ret/web-01" }) // the API above has kept it
	jid = run()
	hear(func(tag string) bool { return tag == "salt/job/"+jid+"/ret/web-01" })
	if status, text := g.ask(t, token, "GET", "/tree", ""); status != 200 {
		t.Errorf("when the master is back: %d %s", status, text)
	}
}

// A gateway without a token has no events, and says so.
func TestGateway_NoEvents(t *testing.T) {
	a := growAPITree(t, "top: top-01\n")
	g := startGateway(t, a.url, a.ca, "")
	if status, text := g.ask(t, a.token(t, g.url, g.ca, "ann"), "GET", "/events", ""); status != 503 || !strings.Contains(text, "events are not available") {
		t.Errorf("%d %s", status, text)
	}
	log, err := os.ReadFile(filepath.Join(a.Dir, "top", "log"))
	if err != nil || !strings.Contains(string(log), "REST API serving") {
		t.Errorf("the master's log says nothing of its API: %v\n%s", err, log)
	}
	if strings.Contains(string(log), "event stream of the master lost") {
		t.Errorf("the master cannot hear itself:\n%s", log)
	}
}

// A configuration that cannot be meant is an error at the start.
func TestAPI_BadConfigurations(t *testing.T) {
	for conf, want := range map[string]string{
		"api: True\n":                                                           "the master serves the API itself",
		"api_upstream: http://elsewhere\n":                                      "is not encrypted",
		"api_upstream: nonsense\n":                                              "invalid API URL",
		"api_upstream: https://127.0.0.1:1\n":                                   "nothing to serve",
		"api_upstream: https://127.0.0.1:1\napi_upstream_ca: /nosuch\n":         "/nosuch",
		"api_upstream: https://127.0.0.1:1\napi_upstream_token_file: /nosuch\n": "/nosuch",
	} {
		dir := t.TempDir()
		text := fmt.Sprintf("root_dir: %s\napi_logfile: %s\napi_pidfile: %s\n%s", dir, filepath.Join(dir, "log"), filepath.Join(dir, "pid"), conf)
		if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := apiCommand()
		cmd.SetArgs([]string{"-c", dir, "-l", "quiet"})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", conf, err, want)
		}
	}
}
