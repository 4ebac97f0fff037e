package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/client"
)

// sent is a request of a test.
type sent struct {
	method, path, kind, body, from string
	head                           map[string]string
}

func (q sent) do(s *Server) *httptest.ResponseRecorder {
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	if q.from != "" {
		r.RemoteAddr = q.from
	}
	if q.body != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	for k, v := range q.head {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const (
	asJSONText = "application/json"
	asYAMLText = "application/x-yaml"
	asForm     = "application/x-www-form-urlencoded"
)

// withoutToken are the routes that accept a body without a token.
var withoutToken = []string{"/", "/run", "/login", "/token", "/keys"}

// What a stranger sends is counted before it is decoded, on every route, whatever the body
// says about who sent it. A user is not held to that.
func TestStrangersValues(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(t, f)
	list := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	for name, c := range map[string]struct {
		kind, body string
		small      bool
	}{
		"values":         {asJSONText, list(2047), true},
		"too many":       {asJSONText, list(2048), false},
		"empty lists":    {asJSONText, "[" + strings.Repeat("[],", 2047) + "[]]", false},
		"keys":           {asJSONText, "{" + strings.Repeat(`"a":0,`, 1024) + `"a":0}`, false},
		"depth":          {asJSONText, strings.Repeat("[", 33) + strings.Repeat("]", 33), false},
		"with a login":   {asJSONText, `{"token":"` + alice + `","client":"local","arg":` + list(2048) + "}", false},
		"bytes":          {asJSONText, `["` + strings.Repeat("a", strangerBody) + `"]`, false},
		"lines":          {asYAMLText, strings.Repeat("- 0\n", 1023), true},
		"too many lines": {asYAMLText, strings.Repeat("- 0\n", 1025), false},
		"question marks": {asYAMLText, strings.Repeat("? ", 1000), false},
		"bytes of YAML":  {asYAMLText, "a: " + strings.Repeat("b", 16<<10), false},
		"as plain text":  {"text/plain", "[" + strings.Repeat("[],", 2047) + "[]],", false},
		"fields":         {asForm, strings.Repeat("a=1&", 1024), false},
		"fewer fields":   {asForm, strings.Repeat("a=1&", 1000), true},
	} {
		for _, path := range withoutToken {
			w := sent{method: "POST", path: path, kind: c.kind, body: c.body}.do(s)
			if (w.Code != http.StatusRequestEntityTooLarge) != c.small {
				t.Errorf("%s to %s: %d %.200s", name, path, w.Code, w.Body)
			}
		}
		if w := (sent{method: "POST", path: "/", kind: c.kind, body: c.body, head: map[string]string{"X-Auth-Token": alice}}).do(s); w.Code == http.StatusRequestEntityTooLarge {
			t.Errorf("%s of a user: %d %.200s", name, w.Code, w.Body)
		}
	}
	alias := "a: &a [x, x]\nb: &b [" + strings.Repeat("*a,", 100) + "*a]\nc: [" + strings.Repeat("*b,", 100) + "*b]\n"
	if w := (sent{method: "POST", path: "/login", kind: asYAMLText, body: alias}).do(s); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "too large") {
		t.Errorf("aliases for 20,000 values: %d %s", w.Code, w.Body)
	}
}

// Decoding waits for memory by what it costs, and no stranger takes that of users.
func TestStrangersWeight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f)
		login := sent{method: "POST", path: "/login", kind: asYAMLText, body: "a: " + strings.Repeat("b", 10000)}
		weight := int64(costOfLogin(login.body))
		if !s.handlers.stats.budget.decoding.TryAcquire(strangerWeight - weight + 1) {
			t.Fatal("it is in use")
		}
		began := time.Now()
		if w := login.do(s); w.Code != http.StatusServiceUnavailable || time.Since(began) != decodeWait {
			t.Errorf("%d after %v: %s", w.Code, time.Since(began), w.Body)
		}
		if w := ask(s, "POST", "/", jobJSON, alice); w.Code != http.StatusOK {
			t.Errorf("a user: %d %s", w.Code, w.Body)
		}
		s.handlers.stats.budget.decoding.Release(1)
		if w := login.do(s); w.Code != http.StatusUnauthorized {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		// A body that would take more than all there is for users is refused.
		lines := strings.Repeat("- 0\n", int(s.handlers.stats.budget.usersWeight)/64/4+1)
		if w := (sent{method: "POST", path: "/", kind: asYAMLText, body: lines, head: map[string]string{"X-Auth-Token": alice}}).do(s); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("a user's large YAML: %d %s", w.Code, w.Body)
		}
	})
}

// costOfLogin is what a body of YAML is taken to cost: 64 times its size.
func costOfLogin(body string) int { return 64 * len(body) }

// A stranger takes a place once the body has arrived, and an address has few places; users and
// /health do not wait for strangers.
func TestStrangersPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f)
		if w := ask(s, "GET", "/whoami", "", alice); w.Code != http.StatusOK {
			t.Fatal(w.Code)
		}
		for i := range strangerShare {
			if !s.handlers.stats.budget.strangers.tryAcquire("192.0.2.1", 1) {
				t.Fatalf("place %d", i)
			}
		}
		login := sent{method: "POST", path: "/login", kind: asForm, body: "username=alice&password=wonder&eauth=file", from: "192.0.2.1:5"}
		if w := login.do(s); w.Code != http.StatusServiceUnavailable {
			t.Errorf("one more of an address: %d", w.Code)
		}
		login.from = "[::ffff:192.0.2.1]:5"
		if w := login.do(s); w.Code != http.StatusServiceUnavailable {
			t.Errorf("the same address in the form of IPv6: %d", w.Code)
		}
		login.from = "192.0.2.2:5"
		if w := login.do(s); w.Code != http.StatusOK {
			t.Errorf("another address: %d", w.Code)
		}
		for i := 0; s.handlers.stats.budget.strangers.tryAcquire(fmt.Sprint(i/strangerShare), 1); i++ {
		}
		if w := login.do(s); w.Code != http.StatusServiceUnavailable {
			t.Errorf("no place is left: %d", w.Code)
		}
		for _, path := range []string{"/health", "/app", "/login", "/openapi.json"} {
			if w := ask(s, "GET", path, "", ""); w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		if w := ask(s, "POST", "/", jobJSON, alice); w.Code != http.StatusOK {
			t.Errorf("a user: %d %s", w.Code, w.Body)
		}
	})
}

// Bodies that do not arrive hold no place, end after 10 s, and take room from nobody else.
func TestSlowBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := serve(t, f)
		p, stop := start(t, s)
		defer stop()
		began := time.Now()
		var wg sync.WaitGroup
		for range 2 * strangerShare {
			c := p.dial(t)
			wg.Go(func() {
				if resp, _ := send(t, c, "POST /login HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 1000\n\n{"); resp.StatusCode != http.StatusRequestTimeout {
					t.Errorf("%d", resp.StatusCode)
				}
			})
		}
		synctest.Wait()
		if n := s.handlers.stats.budget.inProgress(); n != 0 {
			t.Errorf("%d at work", n)
		}
		if w := (sent{method: "POST", path: "/login", kind: asForm, body: "username=alice&password=wonder&eauth=file", from: "pipe"}).do(s); w.Code != http.StatusOK {
			t.Errorf("a login meanwhile: %d", w.Code)
		}
		wg.Wait()
		if took := time.Since(began); took != strangerBodyTime {
			t.Errorf("they ended after %v", took)
		}
		if n := s.handlers.stats.budget.bytes.inUse(); n != 0 {
			t.Errorf("%d bytes are held", n)
		}
	})
}

// A token that was never valid is looked up among the strangers, one that was among users; so
// made-up tokens keep nobody waiting.
func TestMadeUpTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		strangers := map[string]bool{}
		s := serveOver(t, tokenAsker{f, func(ctx context.Context, id string) { strangers[id] = IsStranger(ctx) }})
		made := strings.Repeat("0", 64)
		ask(s, "GET", "/jobs", "", made)
		ask(s, "GET", "/jobs", "", alice)
		if !strangers[made] || !strangers[alice] {
			t.Error("an unknown token was looked up among users")
		}
		ask(s, "GET", "/jobs", "", alice)
		ask(s, "GET", "/jobs", "", made)
		if !strangers[made] || strangers[alice] {
			t.Error("a token is not remembered as what it was")
		}
		for i := 0; s.handlers.stats.budget.strangers.tryAcquire(fmt.Sprint(i/strangerShare), 1); i++ {
		}
		if w := ask(s, "GET", "/jobs", "", made); w.Code != http.StatusServiceUnavailable {
			t.Errorf("a made-up token: %d", w.Code)
		}
		if w := ask(s, "GET", "/jobs", "", alice); w.Code != http.StatusOK {
			t.Errorf("a user's: %d", w.Code)
		}
	})
}

// tokenAsker records which tokens are looked up.
type tokenAsker struct {
	*fake
	asked func(ctx context.Context, id string)
}

func (a tokenAsker) Token(ctx context.Context, id string) (Token, error) {
	a.asked(ctx, id)
	return a.fake.Token(ctx, id)
}

// slowLogins is a master that takes a while for a login.
type slowLogins struct {
	*fake
	take time.Duration
	mu   sync.Mutex
	at   int
	most int
	from []string
}

func (b *slowLogins) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error) {
	b.mu.Lock()
	b.at++
	b.most = max(b.most, b.at)
	b.from = append(b.from, l.From)
	b.mu.Unlock()
	time.Sleep(b.take)
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.at--
	}()
	return b.fake.MakeToken(ctx, l, expire)
}

func loginOf(name, password, from string) sent {
	return sent{method: "POST", path: "/login", kind: asForm, body: "username=" + name + "&password=" + password + "&eauth=file", from: from}
}

// A refused login is answered after a second, and holds no place for it.
func TestRefusedLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, newFake())
		var wg sync.WaitGroup
		began := time.Now()
		for i := range 4 * loginPlaces {
			wg.Go(func() {
				w := loginOf("guess", "x", fmt.Sprintf("10.0.%d.1:1", i)).do(s)
				if took := time.Since(began); w.Code != http.StatusUnauthorized || took < 3*refusalTime/4 || took > 5*refusalTime/4 {
					t.Errorf("%d after %v", w.Code, took)
				}
			})
		}
		synctest.Wait()
		if n := s.handlers.login.logins.strangers.inUse() + s.handlers.login.logins.room.inUse() + s.handlers.stats.budget.inProgress(); n != 0 {
			t.Errorf("%d places are held by logins that were refused", n)
		}
		wg.Wait()
	})
}

// Guesses that fill all places, from one address or from many, keep no user out who has logged
// in from the address before, in whatever spelling.
func TestKnownUsersLogIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		b := &slowLogins{fake: f}
		s := serveOver(t, b)
		if w := loginOf("alice", "wonder", "10.0.0.1:1").do(s); w.Code != http.StatusOK {
			t.Fatal(w.Code)
		}
		b.take = time.Minute
		var wg sync.WaitGroup
		for i := range 10 * loginPlaces {
			wg.Go(func() { loginOf("guess", "x", fmt.Sprintf("10.0.0.%d:1", 1+i%100)).do(s) })
		}
		synctest.Wait()
		if b.at != loginPlaces {
			t.Errorf("%d guesses are at the master", b.at)
		}
		began := time.Now()
		if w := loginOf("bob", "builder", "10.9.0.1:1").do(s); w.Code != http.StatusTooManyRequests || time.Since(began) > loginWait {
			t.Errorf("a user who is not known from there: %d after %v", w.Code, time.Since(began))
		}
		b.mu.Lock()
		b.take = 0
		b.mu.Unlock()
		began = time.Now()
		if w := loginOf("alice", "wonder", "10.0.0.1:7").do(s); w.Code != http.StatusOK || time.Since(began) > 0 {
			t.Errorf("a known user: %d after %v", w.Code, time.Since(began))
		}
		wg.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		b := &slowLogins{fake: newFake(), take: time.Second}
		s := serveOver(t, b)
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() { loginOf("guess", "x", fmt.Sprintf("[2001:db8::%x]:1", i)).do(s) })
		}
		wg.Wait()
		if b.most != loginShare {
			t.Errorf("%d logins of one /64 at once", b.most)
		}
	})
}

// Behind a proxy that is named, logins come from whom it says; what others say is not heard.
func TestProxies(t *testing.T) {
	b := &slowLogins{fake: newFake()}
	s := serveOver(t, b, func(o *Options) {
		o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.7/32"), netip.MustParsePrefix("10.1.0.0/16")}
	})
	for _, c := range []struct{ from, says, want string }{
		{"10.0.0.7:1", "192.0.2.1", "192.0.2.1"},
		{"10.0.0.8:1", "192.0.2.1", "10.0.0.8"},
		{"[::ffff:10.0.0.7]:1", "192.0.2.1", "192.0.2.1"},
		{"10.0.0.7:1", "192.0.2.66, 192.0.2.1", "192.0.2.1"},
		{"10.0.0.7:1", "192.0.2.1, 10.1.2.3", "192.0.2.1"},
		{"10.0.0.7:1", "192.0.2.1, nonsense", "10.0.0.7"},
		{"10.0.0.7:1", "", "10.0.0.7"},
		{"10.0.0.7:1", "10.1.0.1", "10.1.0.1"},
	} {
		q := loginOf("alice", "wonder", c.from)
		q.head = map[string]string{"X-Forwarded-For": c.says}
		q.do(s)
		if got := b.from[len(b.from)-1]; got != c.want {
			t.Errorf("%s says %q: the login comes from %s, want %s", c.from, c.says, got, c.want)
		}
	}
}
