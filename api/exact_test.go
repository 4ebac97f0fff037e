package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// A valid token shows its user. Other tokens are refused.
func TestWhoami(t *testing.T) {
	f := newFake()
	bob := f.token("bob", time.Hour)
	w := ask(serve(t, f), "GET", "/whoami", "", bob)
	if got := w.Body.String(); w.Code != 200 || !strings.Contains(got, `"user": "bob", "eauth": "file"`) || !strings.Contains(got, `"perms": [{"web-*": ["test.*"]}], "groups": []`) || strings.Contains(got, bob) {
		t.Errorf("%d %s", w.Code, got)
	}
	for _, token := range []string{"", strings.Repeat("ab", 32)} {
		if w := ask(serve(t, f), "GET", "/whoami", "", token); w.Code != 401 {
			t.Errorf("%q: %d %s", token, w.Code, w.Body)
		}
	}
}

// With full_return the answer says that a runner failed, and has its value.
func TestFullReturn(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	for body, want := range map[string]string{
		`{"client":"runner","fun":"test.arg","arg":[1],"full_return":true}`: `{"return": [{"tag": "salt/run/20240101000000000010/ret", "data": {"fun": "runner.test.arg", "jid": "20240101000000000010", "return": {"args": [1], "kwargs": {}}, "success": true}}]}`,
		`{"client":"runner","fun":"no.such","full_return":true}`:            `{"return": [{"tag": "salt/run/20240101000000000010/ret", "data": {"fun": "runner.no.such", "jid": "20240101000000000010", "return": "'no.such' is not available.", "success": false}}]}`,
		`{"client":"runner","fun":"jobs.list_job","arg":["x"],"full_return":true}`: `{"return": [{"tag": "salt/run/20240101000000000010/ret", "data": {"fun": "runner.jobs.list_job", "jid": "20240101000000000010", "return": {"jid": "x", ` +
			`"Error": "Cannot contact returner or no job with this jid", "StartTime": "", "Result": {}}, "success": false, "error": "no job with the id"}}]}`,
		`{"client":"runner","fun":"no.such"}`: `{"status": 500, "return": "'no.such' is not available."}`,
	} {
		if w := ask(serve(t, f), "POST", "/", body, alice); w.Body.String() != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, w.Body, want)
		}
		if f.runners[len(f.runners)-1].JID != "" {
			t.Errorf("%s: the API chooses the job id, which no login may", body)
		}
	}
}

// An exact answer keeps values without loss.
func TestExactAnswers(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	odd := value.NewMap(int64(1), []byte{'a', 0xff})
	var err error
	if f.trimmed["top-01"], err = client.RawOf(odd); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"client":"local","tgt":"top-01","fun":"test.large"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Auth-Token", alice)
	r.Header.Set("Accept", exactType+", application/json;q=0.9")
	w := httptest.NewRecorder()
	serve(t, f).ServeHTTP(w, r)
	var raw client.Raw
	if err := raw.UnmarshalJSON(w.Body.Bytes()); err != nil || w.Header().Get("Content-Type") != exactType {
		t.Fatalf("%v, %v\n%s", err, w.Header(), w.Body)
	}
	m, err := raw.Map()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := m.List("return")[0].(*value.Map).Get("top-01")
	back, err := client.RawOf(got)
	if err != nil || back.String() != f.trimmed["top-01"].String() || !strings.Contains(back.String(), "$map") {
		t.Errorf("%v, %v", back, err)
	}
}

// A stream of a job sends expectations and exact values on request.
func TestJobStream_Expected(t *testing.T) {
	for query, asked := range map[string]bool{"": false, "?expected=yes": true, "?expected=yes&exact=yes": true, "?exact=yes": false} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.follow = make(chan client.Update)
			alice, jid := f.token("alice", time.Hour), "20240101000000000001"
			f.owner[jid] = "alice"
			s := serve(t, f)
			p, stop := start(t, s)
			defer stop()
			_, r := send(t, p.dial(t), "GET /jobs/"+jid+"/stream"+query+" HTTP/1.1\nHost: x\nX-Auth-Token: "+alice+"\n\n")
			lines(t, r, 1)
			f.follow <- client.Update{Expectation: &client.Expectation{Node: "a/b", Minions: []string{"db-01"}, Asked: []string{"c"}}}
			if asked {
				if got := lines(t, r, 2); got[0] != "tag: mom/job/expected" || !strings.Contains(got[1], `"node": "a/b", "minions": ["db-01"], "asked": ["c"]`) {
					t.Errorf("%q", got)
				}
			}
			odd, err := client.RawOf(value.NewMap(int64(1), true))
			if err != nil {
				t.Error(err)
			}
			f.follow <- client.Update{Return: &client.Return{JID: jid, ID: "db-01", Value: odd, Out: "highstate"}}
			want := `"return": {"1": true}`
			if strings.Contains(query, "exact") {
				want = `"return": {"$map": [[1, true]]}`
			}
			if got := lines(t, r, 2); !strings.Contains(got[1], want) || !strings.Contains(got[1], `"out": "highstate"`) {
				t.Errorf("%q, want %s", got, want)
			}
			f.follow <- client.Update{Complete: &client.Account{JID: jid, Nodes: map[string]string{"a": "silent"}}}
			if got := lines(t, r, 2); !strings.Contains(got[1], `"nodes": {"a": "silent"}`) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A backend without events has no streams of them.
func TestNoEvents(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(t, f, func(o *Options) { o.NoEvents = true })
	if w := ask(s, "GET", "/events", "", alice); w.Code != 503 || !strings.Contains(w.Body.String(), ErrNoEvents.Error()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
