package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Pollers and browsers rely on what Salt answers here.
func TestSaltsAnswers(t *testing.T) {
	f := newFake()
	alice, bob := f.token("alice", time.Hour), f.token("bob", time.Hour)
	servers := map[Dialect]*Server{CherryPy: serve(t, f), Tornado: serve(t, f, func(o *Options) { o.Dialect = Tornado })}
	for _, c := range []struct {
		name    string
		dialect Dialect
		token   string
		body    string
		status  int
		want    string // in the answer
	}{
		{"a job that nobody knows", CherryPy, alice, `{"client":"runner","fun":"jobs.list_job","arg":["20240101000000000000"]}`, 200, "Cannot contact returner or no job with this jid"},
		{"empty, nobody", CherryPy, "", "", 401, ""},
		{"no chunks, nobody", CherryPy, "", "[]", 401, ""},
		{"no map, nobody", CherryPy, "", "7", 401, ""},
		{"empty, nobody, tornado", Tornado, "", "", 302, ""},
		{"no match", CherryPy, alice, `{"client":"local","tgt":"nobody","fun":"test.ping"}`, 200, `[{}]`},
		{"no match, tornado", Tornado, alice, `{"client":"local","tgt":"nobody","fun":"test.ping"}`, 200, noMatchText},
		{"a bad token in the chunk", Tornado, alice, `{"client":"local_async","tgt":"web-01","fun":"test.ping","token":"` + strings.Repeat("0", 64) + `"}`, 302, ""},
		{"another's token in the chunk", Tornado, alice, `{"client":"local_async","tgt":"db-01","fun":"test.ping","token":"` + bob + `"}`, 401, ""},
		{"the header counts", CherryPy, alice, `{"client":"local_async","tgt":"web-01","fun":"test.ping","token":"` + strings.Repeat("0", 64) + `"}`, 200, "jid"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		if c.token != "" {
			r.Header.Set("X-Auth-Token", c.token)
		}
		w := httptest.NewRecorder()
		servers[c.dialect].ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
}
