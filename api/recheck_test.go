package api

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Attack: a token that was revoked, or a password that was changed, with the key of a request
// that was answered before. Who is not logged in now is shown nothing, wherever the login is.
func TestIdempotency_LoggedInNow(t *testing.T) {
	async := `{"client":"local_async","tgt":"web-01","fun":"test.ping"`
	const pass = `,"username":"alice","password":"wonder","eauth":"file"}`
	for name, c := range map[string]struct {
		path, body string
		head       func(token string) map[string]string
	}{
		"header":        {"/", async + "}", func(id string) map[string]string { return map[string]string{"X-Auth-Token": id} }},
		"cookie":        {"/", async + "}", func(id string) map[string]string { return map[string]string{"Cookie": "session_id=" + id} }},
		"minions":       {"/minions", async + "}", func(id string) map[string]string { return map[string]string{"X-Auth-Token": id} }},
		"chunk":         {"/", async + `,"token":"TOKEN"}`, nil},
		"chunk of run":  {"/run", async + `,"token":"TOKEN"}`, nil},
		"password":      {"/run", async + pass, nil},
		"several":       {"/run", "[" + async + pass + "," + async + pass + "]", nil},
		"among others":  {"/run", "[" + async + `,"token":"TOKEN"},` + async + pass + "]", nil},
		"header of run": {"/run", async + "}", func(id string) map[string]string { return map[string]string{"X-Auth-Token": id} }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				token := f.token("alice", time.Hour)
				s := serve(t, f)
				q := sent{method: "POST", path: c.path, kind: asJSONText, body: strings.ReplaceAll(c.body, "TOKEN", token), head: map[string]string{"Idempotency-Key": "k"}}
				if c.head != nil {
					for k, v := range c.head(token) {
						q.head[k] = v
					}
				}
				first, again := q.do(s), q.do(s)
				if first.Code >= 300 || again.Header().Get("Idempotency-Replayed") != "true" || again.Body.String() != first.Body.String() {
					t.Fatalf("%d, then %d %v", first.Code, again.Code, again.Header())
				}
				jobs := len(f.published)
				delete(f.tokens, token)
				defer func(was string) { passwords["alice/file"] = was }(passwords["alice/file"])
				passwords["alice/file"] = "changed"
				w := q.do(s)
				if w.Code != http.StatusUnauthorized || w.Header().Get("Idempotency-Replayed") != "" || strings.Contains(w.Body.String(), "20240101") || len(f.published) != jobs {
					t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
				}
			})
		})
	}
}

// Who waits for a request that is at work is shown its answer only if still logged in then.
func TestIdempotency_LoggedInAfterTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hold = make(chan struct{})
		one, other := f.token("alice", time.Hour), f.token("alice", time.Hour)
		s := serve(t, f)
		post := func(id string) int {
			return sent{method: "POST", path: "/", kind: asJSONText, body: jobJSON, head: map[string]string{"Idempotency-Key": "k", "X-Auth-Token": id}}.do(s).Code
		}
		codes := make(chan int, 2)
		go func() { codes <- post(one) }()
		synctest.Wait()
		go func() { codes <- post(other) }()
		synctest.Wait()
		f.mu.Lock()
		delete(f.tokens, other)
		f.mu.Unlock()
		close(f.hold)
		if a, b := <-codes, <-codes; a+b != http.StatusOK+http.StatusUnauthorized {
			t.Errorf("%d and %d", a, b)
		}
	})
}

// The names and passwords in a body are tokens for as long as it is at work, and few.
func TestLoginsOfChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := serve(t, f)
		chunk := func(password string) string {
			return `{"client":"local","tgt":"web-01","fun":"test.ping","username":"alice","password":"` + password + `","eauth":"file"}`
		}
		body := "[" + strings.Repeat(chunk("wonder")+",", 50) + chunk("bad") + "]"
		if w := (sent{method: "POST", path: "/run", kind: asJSONText, body: body}).do(s); w.Code != http.StatusOK || strings.Count(w.Body.String(), "Authentication error") != 2 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if len(f.tokens) != 0 || f.serial < 51 {
			t.Errorf("%d tokens are left", len(f.tokens))
		}
		var many []string
		for _, p := range strings.Split("abcdefghi", "") {
			many = append(many, chunk(p))
		}
		if w := (sent{method: "POST", path: "/run", kind: asJSONText, body: "[" + strings.Join(many, ",") + "]"}).do(s); w.Code != http.StatusBadRequest {
			t.Errorf("nine logins: %d", w.Code)
		}
	})
}
