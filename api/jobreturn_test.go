package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/value"
)

// A path shows the return of one minion, or why it is missing.
func TestOneReturn(t *testing.T) {
	f := newFake()
	jid := "20240101000000000777"
	f.owner[jid] = "bob"
	f.jobs[jid] = value.NewMap("jid", jid, "Function", "test.echo", "Minions", []any{"web-01", "web-02", "web-03"},
		"Missing", value.NewMap("web-03", "Not connected"), "Paths", value.NewMap("web-01", "syndic-a"),
		"Result", value.NewMap("web-01", value.NewMap("return", "hello", "retcode", 0, "success", true)))
	s := serve(t, f)
	bob := f.token("bob", time.Hour)
	for path, want := range map[string]string{
		jid + "/returns/web-01":                        `{"return": [{"jid": "` + jid + `", "id": "web-01", "fun": "test.echo", "return": "hello", "retcode": 0, "success": true, "path": "syndic-a"}]}`,
		jid + "/returns/web-02":                        "web-02 has not returned yet",
		jid + "/returns/web-03":                        "web-03 did not return: Not connected",
		jid + "/returns/db-01":                         "db-01 is not a minion of this job",
		"20240101000000000778/returns/web-01":          "unknown job",
		"nosuch/returns/web-01":                        "not a job id",
		jid + "/returns/..%2f..%2fkeys":                "is not a minion of this job",
		jid + "/returns/" + strings.Repeat("x", 20000): "is not a minion of this job",
	} {
		token := bob
		if strings.HasPrefix(path, "20240101000000000778") {
			token = f.token("alice", time.Hour)
		}
		f.runners = nil
		w := ask(s, "GET", "/jobs/"+path, "", token)
		if ok := w.Code == http.StatusOK; ok != strings.HasPrefix(want, "{") || !ok && w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.80s: %d %.300s", path, w.Code, w.Body)
		}
		id, _, _ := strings.Cut(path, "/")
		for _, c := range f.runners {
			if c.Fun != "jobs.list_job" || len(c.Args) != 1 || c.Args[0] != id || c.Kwargs["id"] == nil {
				t.Errorf("%.80s: the master is asked for %+v", path, c)
			}
		}
		if asked := len(f.runners) > 0; asked == (id == "nosuch") {
			t.Errorf("%.80s: the master is asked: %v", path, asked)
		}
	}
}

// Of a job that nobody knows Salt's answer is given, with status 200: who polls reads it as
// "not yet". Other failures are errors.
func TestRunnerOfAnUnknownJob(t *testing.T) {
	f := newFake()
	s := serve(t, f)
	alice := f.token("alice", time.Hour)
	chunk := `{"client":"runner","fun":"jobs.list_job","arg":["20240101000000000779"]}`
	for body, want := range map[string]string{
		chunk:                                 `{"return": [{"jid": "20240101000000000779", "Error"`,
		"[" + chunk + "," + jobJSON + "]":     `{"return": [{"jid": "20240101000000000779", "Error"`,
		`{"client":"runner","fun":"no.such"}`: `{"status": 500, "return": "'no.such' is not available."}`,
	} {
		if w := ask(s, "POST", "/", body, alice); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
