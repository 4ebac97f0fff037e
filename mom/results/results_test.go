package results

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql"
	"github.com/momtree/mom/returners/mysql/mysqltest"
)

const (
	bobsJob = "20260101000000000001"
	annsJob = "20260101000000000002"
	rootJob = "20260101000000000003"
	noJob   = "20260101000000000009"
)

func encoded(t *testing.T, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fill has a master's store write three jobs: bob's still waits for a minion and misses one.
func fill(t *testing.T, server *mysqltest.Server, db string) {
	t.Helper()
	ctx := t.Context()
	s, err := mysql.Open(ctx, mysql.Options{UnixSocket: server.Socket, User: "root", DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for id, user := range map[string]string{bobsJob: "bob", annsJob: "ann", rootJob: "root"} {
		load := wire.NewMap("cmd", "publish", "tgt", "web*", "fun", "test.ping", "arg", []any{}, "tgt_type", "glob", "ret", "", "jid", id, "user", user)
		if user != "root" { // who is the one of the machine
			load.Set("mom_eauth", "file")
		}
		if err := s.SaveLoads(ctx, []returners.Load{{JID: id, Raw: encoded(t, load), User: user}}); err != nil {
			t.Fatal(err)
		}
		full := wire.NewMap("id", "web1", "jid", id, "fun", "test.ping", "return", "done for "+user, "retcode", 0, "success", true)
		if err := s.SaveReturns(ctx, []returners.Return{{
			JID: id, ID: "web1", Fun: "test.ping", Success: true, Value: encoded(t, "done for "+user), Full: encoded(t, full), At: time.Now(),
		}}); err != nil {
			t.Fatal(err)
		}
		x := returners.Expectation{JID: id, Minions: []string{"web1", "web2"}, Missing: map[string]string{"web3": "disconnected"}}
		if err := s.SaveExpectations(ctx, []returners.Expectation{x}); err != nil {
			t.Fatal(err)
		}
	}
}

// listen serves the API over a database with an account that may read it and no more.
func listen(t *testing.T, server *mysqltest.Server, db string) (url string) {
	t.Helper()
	server.Exec(t, db, "CREATE USER reader@'%' IDENTIFIED BY 'r'; GRANT SELECT ON `"+db+"`.* TO reader@'%'")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"users": "ann:a\nbob:b\neve:e\nroot:r\n",
		"master": fmt.Sprintf(`
root_dir: %s
user: root
api_results: mysql
mysql: {host: 127.0.0.1, port: %d, user: reader, pass: r, db: %s}
external_auth:
  file:
    ^filename: %s/users
    ann: ['@jobs', '@wheel']
    bob: ['test.*']
    eve: ['test.*', {'@jobs': [{'lookup_jid': {'args': ['%s']}}]}]
    root: ['test.*']
`, dir, server.Port, db, dir, annsJob),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf, _, err := config.LoadMaster(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	b, err := Open(conf, log)
	if err != nil {
		t.Fatal(err)
	}
	s, err := api.New(api.Options{
		Dialect: api.CherryPy, Host: "127.0.0.1", DisableTLS: true, Log: log, NoEvents: true,
		Clients: []string{"local", "local_async", "runner", "runner_async", "wheel", "wheel_async"}, Hub: api.NewHub(time.Now, nil),
	}, b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	go func() { done <- s.Run(ctx) }()
	go func() { b.Run(ctx); done <- nil }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + s.Addr().String()
}

// ask sends a request and gives the status and the text of the answer.
func ask(t *testing.T, url, method, token, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("X-Auth-Token", token)
	}
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func login(t *testing.T, url, user, password string) string {
	t.Helper()
	code, text := ask(t, url+"/login", "POST", "", fmt.Sprintf(`{"username":%q,"password":%q,"eauth":"file"}`, user, password))
	var m struct{ Return []struct{ Token string } }
	if err := json.Unmarshal([]byte(text), &m); err != nil || code != 200 || len(m.Return) != 1 {
		t.Fatalf("login of %s: %d %s", user, code, text)
	}
	return m.Return[0].Token
}

// Jobs and their results come from the database alone, to whom a master would show them.
func TestResultsOfADatabase(t *testing.T) {
	server := mysqltest.Start(t)
	db := server.Database(t)
	fill(t, server, db)
	url := listen(t, server, db)
	tokens := map[string]string{"nobody": "", "made up": strings.Repeat("ab", 32)}
	for user, password := range map[string]string{"ann": "a", "bob": "b", "eve": "e", "root": "r"} {
		tokens[user] = login(t, url, user, password)
	}
	if code, text := ask(t, url+"/login", "POST", "", `{"username":"ann","password":"wrong","eauth":"file"}`); code != 401 {
		t.Errorf("a wrong password: %d %s", code, text)
	}
	run := func(fun, args string) string {
		return fmt.Sprintf(`{"client":"runner","fun":%q,"arg":[%s]}`, fun, args)
	}
	quoted := func(id string) string { return `"` + id + `"` }
	for _, c := range []struct {
		who, method, path, body string
		code                    int
		has, hasNot             string
	}{
		{"ann", "GET", "/jobs", "", 200, rootJob, ""},
		{"bob", "GET", "/jobs", "", 401, "", bobsJob},
		{"nobody", "GET", "/jobs", "", 401, "", bobsJob},
		{"made up", "GET", "/jobs", "", 401, "", bobsJob},
		{"bob", "GET", "/jobs/" + bobsJob, "", 200, `"return": [{"web1": "done for bob"}]`, ""},
		{"bob", "GET", "/jobs/" + bobsJob, "", 200, `"Missing": {"web3": "disconnected"}`, ""}, // web2 may still be at work
		{"ann", "GET", "/jobs/" + bobsJob, "", 200, "done for bob", ""},
		{"eve", "GET", "/jobs/" + bobsJob, "", 401, "", "done"},
		{"nobody", "GET", "/jobs/" + bobsJob, "", 401, "", "done"},
		{"root", "GET", "/jobs/" + rootJob, "", 401, "", "done"}, // a user of a file, not of the master's machine
		{"ann", "GET", "/jobs/" + noJob, "", 200, "Cannot contact returner or no job with this jid", ""},
		{"bob", "GET", "/jobs/" + noJob, "", 401, "", ""},
		{"ann", "GET", "/jobs/'%20OR%201=1", "", 200, "no job with this jid", "done"},
		{"bob", "POST", "/", run("jobs.lookup_jid", quoted(bobsJob)), 200, "done for bob", ""},
		{"eve", "POST", "/", run("jobs.lookup_jid", quoted(annsJob)), 200, "done for ann", ""},
		{"eve", "POST", "/", run("jobs.lookup_jid", quoted(rootJob)), 401, "", "done"},
		{"bob", "POST", "/", run("jobs.lookup_jid", quoted(annsJob)), 401, "", "done"},
		{"bob", "POST", "/", run("jobs.list_jobs", ""), 401, "", bobsJob},
		{"ann", "POST", "/", run("jobs.list_jobs", ""), 200, bobsJob, ""},
		{"ann", "POST", "/", run("jobs.last_run", ""), 200, "done for root", ""},
		{"ann", "POST", "/", run("jobs.active", ""), 501, "no master", ""},
		{"bob", "POST", "/", run("manage.up", ""), 401, "", ""},
		{"ann", "POST", "/", `{"client":"runner","fun":"jobs.list_job","arg":["` + bobsJob + `"],"kwarg":{"ext_source":"local_cache"}}`, 500, "mysql alone", "done"},
		{"ann", "POST", "/", `{"client":"local","tgt":"*","fun":"test.ping"}`, 501, "no master", ""},
		{"ann", "POST", "/", `{"client":"local_async","tgt":"*","fun":"test.ping"}`, 501, "no master", ""},
		{"ann", "POST", "/", `{"client":"wheel","fun":"key.list_all"}`, 501, "no master", ""},
		{"ann", "POST", "/", `{"client":"wheel_async","fun":"key.list_all"}`, 501, "no master", ""},
		{"ann", "POST", "/", `{"client":"runner_async","fun":"manage.up"}`, 501, "no master", ""},
		{"made up", "POST", "/", `{"client":"local","tgt":"*","fun":"test.ping"}`, 401, "", "no master"},
		{"ann", "GET", "/minions", "", 501, "no master", ""},
		{"ann", "GET", "/tree", "", 501, "no master", ""},
		{"ann", "GET", "/keys", "", 501, "no master", ""},
		{"ann", "POST", "/hook/x", `{}`, 501, "no master", ""},
		{"ann", "GET", "/jobs/" + bobsJob + "/status", "", 501, "no master", ""},
		{"ann", "GET", "/jobs/" + bobsJob + "/stream", "", 501, "no master", ""},
		{"ann", "GET", "/jobs/" + bobsJob + "?wait=1", "", 501, "no master", ""},
		{"ann", "GET", "/events", "", 501, "no master", ""},
		{"nobody", "GET", "/events", "", 401, "", "no master"},
		{"nobody", "GET", "/health", "", 200, "", ""},
	} {
		code, text := ask(t, url+c.path, c.method, tokens[c.who], c.body)
		if code != c.code || !strings.Contains(text, c.has) || c.hasNot != "" && strings.Contains(text, c.hasNot) {
			t.Errorf("%s %s %s as %s: %d, not %d: %s", c.method, c.path, c.body, c.who, code, c.code, text)
		}
	}
	// A login in a chunk, and the end of a token.
	if code, text := ask(t, url+"/run", "POST", "", `{"client":"runner","fun":"jobs.list_job","arg":["`+bobsJob+`"],"username":"bob","password":"b","eauth":"file"}`); code != 200 || !strings.Contains(text, "done for bob") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := ask(t, url+"/logout", "POST", tokens["ann"], ""); code != 200 {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := ask(t, url+"/jobs", "GET", tokens["ann"], ""); code != 401 {
		t.Errorf("a token that was ended is taken: %d", code)
	}
	// The database goes and comes back; what it says to that stays in the log.
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if code, _ := ask(t, url+"/health", "GET", "", ""); code != 503 {
		t.Errorf("health without a database: %d", code)
	}
	if code, text := ask(t, url+"/jobs/"+bobsJob, "GET", tokens["bob"], ""); code < 500 || strings.Contains(text, "reader") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("%d %s", code, text)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if code, text := ask(t, url+"/jobs/"+bobsJob, "GET", tokens["bob"], ""); code != 200 {
		t.Errorf("%d %s", code, text)
	}
}
