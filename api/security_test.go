package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

const jobJSON = `{"client":"local","tgt":"top-01","fun":"test.ping"}`

// places are one request for each route that does something for somebody.
var places = []struct {
	method, path, body string
	// right is whether bob, who may run test.* on web-* alone, is served.
	bob bool
	// carol: she, who may call all runners, is not served.
	carol bool
}{
	{"POST", "/", jobJSON, false, false},
	{"POST", "/", `{"client":"runner","fun":"manage.up"}`, false, false},
	{"POST", "/", `{"client":"runner_async","fun":"manage.up"}`, false, false},
	{"POST", "/", `{"client":"wheel","fun":"key.list_all"}`, false, true},
	{"POST", "/", `{"client":"wheel_async","fun":"key.list_all"}`, false, true},
	{"POST", "/", `{"client":"local_batch","tgt":"top-01","fun":"test.ping"}`, false, true},
	{"POST", "/", `{"client":"local_subset","tgt":"top-01","fun":"test.ping"}`, false, true},
	{"POST", "/run", jobJSON, false, true},
	{"GET", "/minions", "", false, true},
	{"GET", "/minions/web-01", "", false, true},
	{"POST", "/minions", `{"tgt":"top-01","fun":"test.ping"}`, false, true},
	{"GET", "/jobs", "", false, false},
	{"GET", "/jobs/JID", "", false, false},
	{"GET", "/jobs/JID?wait=1", "", false, false},
	{"GET", "/jobs/JID/status", "", false, false},
	{"GET", "/jobs/JID/stream", "", false, false},
	{"GET", "/jobs/JID/returns/web-01", "", false, false},
	{"GET", "/tree", "", false, false},
	{"GET", "/tree/syndic-a", "", false, false},
	{"GET", "/tree?find=top", "", false, false},
	{"GET", "/preview?tgt=top-01&fun=test.ping", "", true, false},
	{"GET", "/keys", "", false, true},
	{"GET", "/keys/top-01", "", false, true},
	{"POST", "/keys", `{"mid":"new-01"}`, false, true},
	{"POST", "/hook/x", `{"a":1}`, true, false},
	{"GET", "/stats", "", true, false},
	{"POST", "/logout", "", true, false},
}

// Whoever has asked for a job may see it, and whoever may look jobs up; nobody else.
func TestWhoSeesAJob(t *testing.T) {
	f := newFake()
	f.follow = make(chan client.Update)
	close(f.follow)
	jid := "20240101000000000777"
	f.owner[jid] = "bob"
	f.jobs[jid] = value.NewMap("jid", jid, "Result", value.NewMap("web-01", value.NewMap("return", true, "retcode", 0, "success", true)))
	s := serve(t, f)
	for _, path := range []string{"", "/status", "/stream", "/returns/web-01"} {
		for user, want := range map[string]int{"bob": 200, "alice": 200, "carol": 200, "erin": 401} {
			w := ask(s, "GET", "/jobs/"+jid+path, "", f.token(user, time.Hour))
			if w.Code != want || want == 401 && strings.Contains(w.Body.String(), "Result") {
				t.Errorf("%s as %s: %d %s", path, user, w.Code, w.Body)
			}
		}
	}
	// The list of all jobs is for who may look them up.
	for user, want := range map[string]int{"bob": 401, "erin": 401, "carol": 200} {
		if w := ask(s, "GET", "/jobs", "", f.token(user, time.Hour)); w.Code != want {
			t.Errorf("/jobs as %s: %d", user, w.Code)
		}
	}
}

// streams are the routes that Salt lets whoever has a token use.
var openStreams = []string{"/events", "/ws"}

// ask sends a request with a token and gives the answer.
func ask(s *Server, method, path, body, token string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("X-Auth-Token", token)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// Nobody does anything without a token that holds and a right to it.
func TestWhoMay(t *testing.T) {
	f := newFake()
	jid := "20240101000000000777"
	f.owner[jid] = "alice"
	f.follow = make(chan client.Update)
	close(f.follow) // streams of the job end at once
	unknown := strings.Repeat("ab", 32)
	expired := f.token("alice", -time.Second)
	revoked := f.token("alice", time.Hour)
	_ = f.RevokeToken(t.Context(), revoked)
	for _, p := range places {
		path := strings.ReplaceAll(p.path, "JID", jid)
		for what, token := range map[string]string{
			"no token": "", "an unknown token": unknown, "an expired token": expired, "a revoked token": revoked, "no hex": strings.Repeat("zz", 32),
			"another's form": "'; drop table tokens", "a short one": "abc",
		} {
			s := serve(t, f)
			if w := ask(s, p.method, path, p.body, token); w.Code != http.StatusUnauthorized {
				t.Errorf("%s %s %s with %s: %d %s", p.method, path, p.body, what, w.Code, w.Body)
			}
		}
		if w := ask(serve(t, f), p.method, path, p.body, f.token("bob", time.Hour)); (w.Code == http.StatusUnauthorized) == p.bob {
			t.Errorf("%s %s %s as bob: %d %s", p.method, path, p.body, w.Code, w.Body)
		}
		if w := ask(serve(t, f), p.method, path, p.body, f.token("carol", time.Hour)); p.carol && w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s %s as carol: %d %s", p.method, path, p.body, w.Code, w.Body)
		}
	}
	for _, path := range openStreams {
		for _, token := range []string{"", unknown, expired, revoked} {
			if w := ask(serve(t, f), "GET", path, "", token); w.Code != http.StatusUnauthorized {
				t.Errorf("%s with %q: %d", path, token, w.Code)
			}
		}
	}
	if len(f.published) != 0 || len(f.fired) != 2 { // the webhooks of bob and carol
		t.Errorf("%d jobs, %d events", len(f.published), len(f.fired))
	}
	for _, l := range []string{
		`{"username":"alice","password":"bad","eauth":"file"}`, `{"username":"alice","password":"wonder","eauth":"pam"}`, `{"username":"alice","eauth":"file"}`,
		`{"username":"mallory","password":"x","eauth":"file"}`, `{"username":"alice","password":"wonder"}`,
	} {
		for _, path := range []string{"/login", "/token"} {
			w := ask(serve(t, f), "POST", path, l, "")
			if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "Could not authenticate") || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%s %s: %d %s", path, l, w.Code, w.Body)
			}
		}
		low := strings.TrimSuffix(jobJSON, "}") + "," + l[1:]
		if w := ask(serve(t, f), "POST", "/run", low, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("/run %s: %d %s", l, w.Code, w.Body)
		}
	}
	if len(f.published) != 0 {
		t.Errorf("jobs were started: %v", f.published)
	}
}

// A token may come in each of the places, and no more than one of them counts.
func TestWhereATokenIs(t *testing.T) {
	f := newFake()
	alice, bob := f.token("alice", time.Hour), f.token("bob", time.Hour)
	for name, c := range map[string]struct {
		head   http.Header
		status int
	}{
		"X-Auth-Token":       {http.Header{"X-Auth-Token": {alice}}, 200},
		"bearer":             {http.Header{"Authorization": {"bearer " + alice}}, 200},
		"cookie":             {http.Header{"Cookie": {"session_id=" + alice}}, 200},
		"basic":              {http.Header{"Authorization": {"Basic " + alice}}, 401},
		"header over cookie": {http.Header{"X-Auth-Token": {bob}, "Cookie": {"session_id=" + alice}}, 401},
		"the same twice":     {http.Header{"X-Auth-Token": {alice, alice}}, 200},
		"two":                {http.Header{"X-Auth-Token": {alice, bob}}, 400},
		"two bearers":        {http.Header{"Authorization": {"Bearer " + alice, "Bearer " + bob}}, 400},
	} {
		r := httptest.NewRequest(http.MethodGet, "/jobs", nil)
		r.Header = c.head
		w := httptest.NewRecorder()
		serve(t, f).ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := ask(serve(t, f), "GET", "/jobs?token="+alice, "", ""); w.Code != 401 {
		t.Errorf("a token in the query: %d", w.Code)
	}
	if w := ask(serve(t, f), "POST", "/", strings.TrimSuffix(jobJSON, "}")+`,"token":"`+alice+`"}`, ""); w.Code != 200 {
		t.Errorf("a token in the body: %d %s", w.Code, w.Body)
	}
}

// What a page of another origin lets a browser do with its cookie is refused.
func TestOtherOrigins(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	post := func(s *Server, origin string, cookie bool) int {
		r := httptest.NewRequest(http.MethodPost, "http://api.example/minions", strings.NewReader(jobJSON))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", origin)
		if cookie {
			r.Header.Set("Cookie", "session_id="+alice)
		} else {
			r.Header.Set("X-Auth-Token", alice)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	if got := post(serve(t, f), "http://evil.example", true); got != 403 {
		t.Errorf("a cookie from elsewhere: %d", got)
	}
	if got := post(serve(t, f), "http://api.example", true); got != 202 {
		t.Errorf("a cookie from here: %d", got)
	}
	if got := post(serve(t, f), "http://evil.example", false); got != 202 {
		t.Errorf("a header from elsewhere: %d", got)
	}
	named := serve(t, f, func(o *Options) { o.Origins = []string{"https://ui.example"} })
	if got := post(named, "https://ui.example", true); got != 202 {
		t.Errorf("a cookie from an origin that is named: %d", got)
	}
	for origin, want := range map[string]string{"https://ui.example": "https://ui.example", "https://evil.example": "", "": ""} {
		r := httptest.NewRequest(http.MethodOptions, "/minions", nil)
		r.Header.Set("Origin", origin)
		w := httptest.NewRecorder()
		named.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != 204 || h.Get("Access-Control-Allow-Origin") != want || (h.Get("Access-Control-Allow-Credentials") == "true") != (want != "") ||
			strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") != (want != "") {
			t.Errorf("preflight of %q: %d %v", origin, w.Code, h)
		}
	}
	if h := ask(serve(t, f), "GET", "/", "", "").Header(); h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%v", h)
	}
}

// Paths in another form than their shortest are nobody's, and nobody is sent elsewhere.
func TestPaths(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(t, f, func(o *Options) { o.Root = "/salt" })
	for path, want := range map[string]int{
		"/salt/": 200, "/salt": 200, "/salt/login": 200, "/salt/login/": 200, "/login": 404, "/saltlogin": 404, "/": 404,
		"/salt//login": 404, "/salt/./login": 404, "/salt/x/../login": 404, "/salt/../salt/login": 404, "/salt/login%00": 404,
		"/salt/login%0d%0aX:y": 404, "/salt//evil.example/": 404, "/salt/minions/a%2Fb": 200, "/salt/nosuch": 404, "/salt/jobs/1/2/3": 404,
		"/salt/hook": 405,
	} {
		w := ask(s, "GET", path, "", alice)
		if w.Code != want || w.Header().Get("Location") != "" {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
}

// A token that has expired by the clock of this host is invalid, even if the master returns it.
func TestTokenPastItsTime(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	for ahead, want := range map[time.Duration]int{0: 200, time.Hour - time.Second: 200, time.Hour: 401} {
		s := serve(t, f, func(o *Options) { o.Now = func() time.Time { return f.now().Add(ahead) } })
		if w := ask(s, "GET", "/jobs", "", alice); w.Code != want {
			t.Errorf("%s on: %d", ahead, w.Code)
		}
	}
}

// What an error says of a fault of the server is for its log alone.
func TestNoSecretsInErrors(t *testing.T) {
	var log strings.Builder
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(t, f, func(o *Options) { o.Log = textLog(&log) })
	ask(s, "GET", "/ws/"+alice+"?token="+alice, "", "")
	ask(s, "POST", "/login", `{"username":"alice","password":"wonder","eauth":"file"}`, "")
	f.down = errBoom
	for _, p := range places {
		w := ask(s, p.method, p.path, p.body, alice)
		if w.Code != 500 || strings.Contains(w.Body.String(), "hunter2") {
			t.Errorf("%s %s: %d %s", p.method, p.path, w.Code, w.Body)
		}
	}
	for _, secret := range []string{alice, "wonder"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
	if !strings.Contains(log.String(), "/ws/{token}") {
		t.Errorf("the log has no route:\n%s", log.String())
	}
}
