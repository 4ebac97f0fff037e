package daemons

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/mom/momtest"
)

// rest is the API beside the top of a tree, a process of its own.
type rest struct {
	t          *testing.T
	conf, addr string
	metrics    string
	cmd        *exec.Cmd
	out        *os.File
}

// withRest grows a tree of one master and a minion whose users log in by a file.
func withRest(t *testing.T) *rest {
	t.Helper()
	r := &rest{t: t, addr: freeAddr(t), metrics: freeAddr(t)}
	tr := momtest.Own(t, "top: top-01\n", func(g *localcluster.Cluster) {
		dir := g.Members[0].ConfDir
		users := filepath.Join(dir, "users")
		if err := os.WriteFile(users, []byte("ann:a\nbob:b\neve:e\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(r.addr)
		conf := fmt.Sprintf(`
external_auth:
  file:
    ^filename: %s
    ann: ['.*', '@runner', '@wheel']
    bob: [{'top-01': ['test.*']}]
    eve: [{'top-01': ['test.*']}]
rest_cherrypy: {port: %s, host: 127.0.0.1, disable_ssl: True}
netapi_enable_clients: [local, local_async, runner, wheel, wheel_async]
api_metrics_listen: %s
`, users, port, r.metrics)
		if err := os.MkdirAll(filepath.Join(dir, "master.d"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "master.d", "api.conf"), []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r.conf = tr.Conf("top")
	r.start()
	t.Cleanup(func() { r.stop(syscall.SIGTERM) })
	return r
}

// start begins the process and waits until it is connected to the master.
func (r *rest) start() {
	r.t.Helper()
	out, err := os.OpenFile(filepath.Join(r.conf, "api.console"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		r.t.Fatal(err)
	}
	r.out = out
	r.cmd = momtest.Process(r.t, "mom", "api", "-c", r.conf, "-l", "info", "--log-file", filepath.Join(r.conf, "api.log"), "--pid-file", filepath.Join(r.conf, "api.pid"))
	r.cmd.Stdout, r.cmd.Stderr = out, out
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, r.addr, "/health", func(code int, _ string) bool { return code == http.StatusOK })
}

func (r *rest) stop(sig syscall.Signal) {
	r.t.Helper()
	if r.cmd == nil {
		return
	}
	if err := r.cmd.Process.Signal(sig); err != nil {
		r.t.Error(err)
	}
	if err := r.cmd.Wait(); err != nil && sig == syscall.SIGTERM {
		r.t.Error(err)
	}
	r.cmd = nil
	if r.t.Failed() {
		b, _ := os.ReadFile(r.out.Name())
		r.t.Logf("%s", b)
	}
	r.out.Close()
}

// do sends a request and gives the status and the decoded answer.
func (r *rest) do(method, path, token, body string) (int, map[string]any) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), momtest.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("X-Auth-Token", token)
	}
	// The address is not the one that the API itself has.
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	tr := &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var m map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil && err != io.EOF {
		m = map[string]any{"error": err.Error()}
	}
	return resp.StatusCode, m
}

// login gives a token.
func (r *rest) login(user, password string) string {
	r.t.Helper()
	code, m := r.do("POST", "/login", "", fmt.Sprintf(`{"username": %q, "password": %q, "eauth": "file"}`, user, password))
	if code != http.StatusOK {
		r.t.Fatalf("login of %s: %d %v", user, code, m)
	}
	return m["return"].([]any)[0].(map[string]any)["token"].(string)
}

// ping runs a job and gives its id.
func (r *rest) ping(token string) string {
	r.t.Helper()
	code, m := r.do("POST", "/", token, `{"client": "local_async", "tgt": "top-01", "fun": "test.ping"}`)
	if code != http.StatusOK {
		r.t.Fatalf("%d %v", code, m)
	}
	id := m["return"].([]any)[0].(map[string]any)["jid"].(string)
	if code, m := r.do("GET", "/jobs/"+id+"?wait=20", token, ""); code != http.StatusOK || m["complete"] != true {
		r.t.Fatalf("%d %v", code, m)
	}
	return id
}

type sse struct{ id, tag, data string }

// hear opens the events; next reads one.
func (r *rest) hear(token, after string) (next func() sse) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*momtest.Patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+"/events", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", token)
	req.Header.Set("Last-Event-ID", after)
	tr := &http.Transport{}
	resp, err := tr.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatal(resp, err)
	}
	r.t.Cleanup(func() { cancel(); resp.Body.Close(); tr.CloseIdleConnections() })
	b := bufio.NewReader(resp.Body)
	return func() (e sse) {
		r.t.Helper()
		for {
			l, err := b.ReadString('\n')
			if err != nil {
				r.t.Fatalf("%+v: %v", e, err)
			}
			name, v, _ := strings.Cut(strings.TrimSuffix(l, "\n"), ": ")
			switch name {
			case "id":
				e.id = v
			case "tag":
				e.tag = v
			case "data":
				e.data = v
			case "":
				if e.tag != "" {
					return e
				}
			}
		}
	}
}

// until reads events up to one, and gives the tags of all of them.
func until(next func() sse, tag string) (tags []string, last sse) {
	for {
		e := next()
		if tags = append(tags, e.tag); e.tag == tag {
			return tags, e
		}
	}
}

// Users of the API hear what is theirs and see their jobs, at a real master, and go on
// where they were when the API starts again.
func TestUsersOfTheAPI(t *testing.T) {
	r := withRest(t)
	ann := r.login("ann", "a")
	all := r.hear(ann, "")
	bob, eve := r.login("bob", "b"), r.login("eve", "e")
	_, audit := until(all, "mom/audit")
	for !strings.Contains(audit.data, `"user": "eve"`) {
		_, audit = until(all, "mom/audit")
	}
	if !strings.Contains(audit.data, `"from": "127.0.0.2"`) {
		t.Errorf("the master takes the login to come from elsewhere: %s", audit.data)
	}
	bobs, eves := r.hear(bob, ""), r.hear(eve, "")
	first := r.ping(bob)
	second := r.ping(eve)
	_, had := until(bobs, "salt/job/"+first+"/complete")
	tags, _ := until(eves, "salt/job/"+second+"/complete")
	for _, tag := range tags {
		if !strings.Contains(tag, second) {
			t.Errorf("eve hears %s", tag)
		}
	}
	tags, _ = until(all, "salt/job/"+second+"/complete")
	if s := strings.Join(tags, " "); !strings.Contains(s, "salt/job/"+first+"/ret/top-01") || !strings.Contains(s, "mom/audit") {
		t.Errorf("ann hears %s", s)
	}
	for token, want := range map[string]int{bob: http.StatusOK, eve: http.StatusUnauthorized, ann: http.StatusOK} {
		for _, path := range []string{"", "/status", "?wait=1"} {
			if code, m := r.do("GET", "/jobs/"+first+path, token, ""); code != want || (code == http.StatusOK) != strings.Contains(fmt.Sprint(m), "top-01") && path != "/status" {
				t.Errorf("%s: %d, not %d: %v", path, code, want, m)
			}
		}
	}
	if code, _ := r.do("GET", "/jobs/"+first+"/stream", eve, ""); code != http.StatusUnauthorized {
		t.Errorf("eve reads a stream of bob's job: %d", code)
	}
	// A wheel function goes on by itself; what it gives is an event.
	code, m := r.do("POST", "/", ann, `{"client": "wheel_async", "fun": "key.list_all"}`)
	w, _ := m["return"].([]any)[0].(map[string]any)
	tag := fmt.Sprint(w["tag"])
	if code != http.StatusOK || tag != fmt.Sprint("salt/wheel/", w["jid"]) {
		t.Fatalf("%d %v", code, m)
	}
	if _, e := until(all, tag+"/ret"); !strings.Contains(e.data, `"top-01"`) || !strings.Contains(e.data, `"success": true`) {
		t.Errorf("%s", e.data)
	}
	// The API starts again: bob learns that events may be missing; nothing else is missing.
	third := r.ping(bob)
	until(all, "salt/job/"+third+"/complete")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		r.stop(sig)
		r.start()
		again := r.hear(bob, had.id)
		fourth := r.ping(bob)
		tags, had = until(again, "salt/job/"+fourth+"/complete")
		s := strings.Join(tags, " ")
		if sig == syscall.SIGTERM && (strings.Count(s, "salt/job/"+third+"/complete") != 1 || strings.Contains(s, first)) {
			t.Errorf("bob hears %s", s)
		}
		if strings.Count(s, "mom/api/lost") != 1 || strings.Count(s, "salt/job/"+fourth+"/complete") != 1 || strings.Contains(s, second) {
			t.Errorf("bob hears %s", s)
		}
	}
	// A made-up id gives nothing but the word that there is a gap.
	if e := r.hear(eve, "made-7")(); e.tag != "mom/api/gap" {
		t.Errorf("%+v", e)
	}
	text := eventually(t, r.metrics, "/metrics", func(code int, _ string) bool { return code == http.StatusOK })
	for _, x := range metrics.All() {
		if x.Where == metrics.APIs && !strings.Contains(text, "\n"+x.Name) {
			t.Errorf("%s is not exported", x.Name)
		}
	}
	eventually(t, r.metrics, "/readyz", func(code int, _ string) bool { return code == http.StatusOK })
}
