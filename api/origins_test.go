package api

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// browsers are what a browser says when a page of another origin sends a request.
var browsers = map[string]map[string]string{
	"cross-site": {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
	"same-site":  {"Origin": "http://a.example", "Sec-Fetch-Site": "same-site"},
	"old":        {"Origin": "http://evil.example"},
	"hidden":     {"Origin": "null"},
}

// Attack: a page of another origin has a browser log in, or guess passwords, from inside a
// network. Programs that are not browsers, pages of the API, and those of origins that are
// named may.
func TestForeignLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const form = "username=alice&password=wonder&eauth=file"
		logins := map[string]string{"/login": form, "/token": form, "/run": "client=local&tgt=web-01&fun=test.ping&" + form, "/keys": "mid=x&" + form}
		for path, body := range logins {
			post := func(origins []string, head map[string]string) (int, string) {
				s := serve(t, newFake(), func(o *Options) { o.Origins = origins })
				w := sent{method: "POST", path: "http://api.example" + path, kind: asForm, body: body, head: head}.do(s)
				return w.Code, w.Header().Get("Set-Cookie")
			}
			for name, head := range browsers {
				for _, origins := range [][]string{nil, {"*"}, {"https://ui.example"}} {
					if code, cookie := post(origins, head); code != http.StatusForbidden || cookie != "" {
						t.Errorf("%s, %s, cors_origin %v: %d %s", path, name, origins, code, cookie)
					}
				}
			}
			for name, head := range map[string]map[string]string{
				"no browser": nil, "the page of the API": {"Origin": "http://api.example", "Sec-Fetch-Site": "same-origin"},
				"an address typed in": {"Sec-Fetch-Site": "none"}, "an origin that is named": {"Origin": "https://ui.example", "Sec-Fetch-Site": "cross-site"},
			} {
				if code, _ := post([]string{"https://ui.example"}, head); code != http.StatusOK {
					t.Errorf("%s, %s: %d", path, name, code)
				}
			}
		}
		// Nor may it read what a login is answered, or send one as JSON.
		s := serve(t, newFake())
		for _, path := range []string{"/login", "/token"} {
			for _, method := range []string{"OPTIONS", "POST"} {
				if h := (sent{method: method, path: path, kind: asForm, body: form}).do(s).Header(); h.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %s: %v", method, path, h)
				}
			}
		}
		if h := (sent{method: "OPTIONS", path: "/minions"}).do(s).Header(); h.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("a call with a token in a header: %v", h)
		}
	})
}

// Attack: a link on a page of another origin, which a browser follows with the cookie. No GET
// of the whole table changes anything then, on whatever the browser says; a token in a header
// works as Salt's clients use it.
func TestForeignLinks(t *testing.T) {
	links := map[string]map[string]string{
		"a link over TLS": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "User-Agent": "Mozilla/5.0"},
		"a link in clear": {"User-Agent": "Mozilla/5.0"}, "with a referer": {"Referer": "http://evil.example/x", "User-Agent": "other"},
		"of another origin": {"Origin": "http://evil.example"}, "a nearby site": {"Sec-Fetch-Site": "same-site", "User-Agent": "Mozilla/5.0"},
	}
	for _, rt := range (handlers{}).routes(dialects[CherryPy]) {
		if rt.method != http.MethodGet || rt.stream || rt.file {
			continue
		}
		path := strings.NewReplacer("{$}", "", "{id}", "web-01", "{jid}", "20240101000000000001", "{path...}", "top").Replace(rt.path)
		for name, head := range links {
			f := newFake()
			q := sent{method: "GET", path: "http://api.example" + path, head: map[string]string{"Cookie": "session_id=" + f.token("alice", time.Hour)}}
			for k, v := range head {
				q.head[k] = v
			}
			tokens := len(f.tokens)
			q.do(serve(t, f))
			if len(f.published) > 0 || len(f.fired) > 0 || len(f.tokens) != tokens {
				t.Errorf("GET %s by %s: %d jobs, %d events, %d tokens", path, name, len(f.published), len(f.fired), len(f.tokens))
			}
		}
	}
	for name, head := range map[string]map[string]string{
		"a header": {"X-Auth-Token": "TOKEN", "Origin": "http://evil.example"}, "a program's cookie": {"Cookie": "session_id=TOKEN", "User-Agent": "python-requests/2.31"},
		"the page of the API": {"Cookie": "session_id=TOKEN", "Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0"},
		"its page in clear":   {"Cookie": "session_id=TOKEN", "Referer": "http://api.example/app", "User-Agent": "Mozilla/5.0"},
	} {
		f := newFake()
		q := sent{method: "GET", path: "http://api.example/minions/web-01", head: map[string]string{}}
		for k, v := range head {
			q.head[k] = strings.ReplaceAll(v, "TOKEN", f.token("alice", time.Hour))
		}
		if w := q.do(serve(t, f)); w.Code != http.StatusOK || len(f.published) != 1 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
