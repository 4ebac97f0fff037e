package api

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/api/listener"
	"github.com/momtree/mom/client"
)

// Bodies have a size and a time, and more of both for whoever shows a token.
func TestBodies(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	large := `{"client":"local","tgt":"top-01","fun":"test.echo","arg":["` + strings.Repeat("a", 1500000) + `"]}`
	if w := ask(serve(t, f), "POST", "/", large, alice); w.Code != 200 || w.Body.Len() < 1500000 {
		t.Errorf("1.5 MB: %d", w.Code)
	}
	small := func(o *Options) { o.MaxBody = 1 << 20 }
	unannounced := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(large)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Auth-Token", alice)
		w := httptest.NewRecorder()
		serve(t, f, small).ServeHTTP(w, r)
		return w
	}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"one that does not say its size": unannounced(),
		"a body above the limit":         ask(serve(t, f, small), "POST", "/", large, alice),
		"a stranger's large body":        ask(serve(t, f), "POST", "/run", large, ""),
		"a large login":                  ask(serve(t, f), "POST", "/login", large, ""),
	} {
		if w.Code != 413 || w.Header().Get("Connection") != "close" {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		p, stop := start(t, serve(t, f))
		defer stop()
		head := "POST / HTTP/1.1\nHost: x\nContent-Type: application/json\nX-Auth-Token: " + alice + "\n"
		if resp, _ := send(t, p.dial(t), head+"Content-Length: 100\n\n{\"half\":"); resp.StatusCode != http.StatusRequestTimeout {
			t.Errorf("a body that never ends: %d", resp.StatusCode)
		}
		if resp, _ := send(t, p.dial(t), head+"Content-Length: 200000000\n\n"); resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a body that is announced too large: %d", resp.StatusCode)
		}
		if resp, _ := send(t, p.dial(t), head+"Transfer-Encoding: chunked\n\n5\n{\"fun\nzz\n"); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("malformed chunks: %d", resp.StatusCode)
		}
		if resp, _ := send(t, p.dial(t), head+"Content-Length: 5\nContent-Length: 6\n\nhello!"); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("two lengths: %d", resp.StatusCode)
		}
		// Half a head, and then nothing.
		c := p.dial(t)
		begun := time.Now()
		if _, err := io.WriteString(c, "GET / HTT"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(c); err != nil || time.Since(begun) > headTime {
			t.Errorf("half a head: %v after %v", err, time.Since(begun))
		}
		if len(f.published) > 0 {
			t.Error("a half request was run")
		}
	})
}

// Requests in flight are bounded.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hold = make(chan struct{})
		alice := f.token("alice", time.Hour)
		s := serve(t, f, func(o *Options) { o.MaxInFlight = 2 })
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if w := ask(s, "POST", "/", jobJSON, alice); w.Code != 200 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		synctest.Wait()
		if w := ask(s, "GET", "/", "", ""); w.Code != 200 {
			t.Errorf("a stranger waits for users: %d", w.Code)
		}
		if w := ask(s, "GET", "/jobs", "", alice); w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%d", w.Code)
		}
		close(f.hold)
		wg.Wait()
		if w := ask(s, "GET", "/jobs", "", alice); w.Code != 200 {
			t.Errorf("%d", w.Code)
		}
	})
}

// A request with a key that is sent again starts nothing, for the same user and body alone.
func TestIdempotency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice, again, bob := f.token("alice", time.Hour), f.token("alice", time.Hour), f.token("bob", time.Hour)
		s := serve(t, f)
		post := func(path, key, body, token string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", key)
			if token != "" {
				r.Header.Set("X-Auth-Token", token)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		async := `{"client":"local_async","tgt":"web-01","fun":"test.ping"}`
		first := post("/", "k", async, alice)
		for i, token := range []string{alice, again} {
			w := post("/", "k", async, token)
			if w.Body.String() != first.Body.String() || w.Header().Get("Idempotency-Replayed") != "true" || w.Header().Get("Link") == "" {
				t.Errorf("%d: %d %s %v", i, w.Code, w.Body, w.Header())
			}
		}
		if w := post("/", "k", async, bob); w.Body.String() == first.Body.String() || w.Code != 200 {
			t.Errorf("another user's key: %s", w.Body)
		}
		if w := post("/", "k", jobJSON, alice); w.Code != 422 {
			t.Errorf("another body: %d", w.Code)
		}
		if w := post("/", strings.Repeat("k", 256), async, alice); w.Code != 400 {
			t.Errorf("a long key: %d", w.Code)
		}
		if len(f.published) != 2 {
			t.Errorf("%d jobs", len(f.published))
		}
		// What was refused can be sent again.
		denied := `{"client":"local_async","tgt":"db-01","fun":"test.ping"}`
		for range 2 {
			if w := post("/", "d", denied, bob); w.Code != 401 || w.Header().Get("Idempotency-Replayed") != "" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
		}
		// A wrong password does not see what was answered to the right one.
		login := func(pw string) string {
			return strings.TrimSuffix(async, "}") + `,"username":"alice","password":"` + pw + `","eauth":"file"}`
		}
		if w := post("/run", "r", login("wonder"), ""); w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if w := post("/run", "r", login("bad"), ""); w.Code != 401 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		// Two at once start one job, and whoever hangs up finds it again.
		f.hold = make(chan struct{})
		before := len(f.published)
		var wg sync.WaitGroup
		bodies := make([]string, 3)
		for i := range bodies {
			wg.Go(func() { bodies[i] = post("/", "two", jobJSON, alice).Body.String() })
		}
		synctest.Wait()
		close(f.hold)
		wg.Wait()
		if bodies[0] != bodies[1] || bodies[1] != bodies[2] || len(f.published) != before+1 {
			t.Errorf("%q and %d jobs", bodies, len(f.published)-before)
		}
		// A day later it is forgotten.
		time.Sleep(repeatTime + time.Second)
		alice = f.token("alice", time.Hour)
		if w := post("/", "k", async, alice); w.Header().Get("Idempotency-Replayed") != "" || w.Code != 200 {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		for range maxRepeats + 10 {
			id := [32]byte{}
			if _, err := rand.Read(id[:]); err != nil {
				t.Fatal(err)
			}
			if r, mine := s.handlers.lowData.repeats.begin(id, id); r == nil || !mine {
				break
			}
		}
		if n := len(s.handlers.lowData.repeats.table); n != maxRepeats {
			t.Errorf("%d keys are remembered", n)
		}
	})
}

// One bad chunk spoils nothing of the good ones.
func TestChunksForThemselves(t *testing.T) {
	f := newFake()
	alice, bob := f.token("alice", time.Hour), f.token("bob", time.Hour)
	body := `[{"client":"local","tgt":"web-01","fun":"test.ping"},{"client":"runner","fun":"no.such"},{"client":"local","fun":"test.ping"},{"client":"ssh","tgt":"a","fun":"b"},{"client":"local_batch","tgt":"web-*","fun":"test.ping","batch":2}]`
	w := ask(serve(t, f), "POST", "/", body, alice)
	want := `{"return": [{"web-01": true}, "'no.such' is not available.", "the field tgt is missing: which minions are meant", "Client disabled: 'ssh'. Salt SSH is not part of this server.", {"web-01": true}, {"web-02": true}], ` +
		`"errors": [{"chunk": 1, "status": 500, "message": "'no.such' is not available.", "jobs": []}, {"chunk": 2, "status": 400, "message": "the field tgt is missing: which minions are meant", "jobs": []}, {"chunk": 3, "status": 400, "message": "Client disabled: 'ssh'. Salt SSH is not part of this server.", "jobs": []}], ` +
		`"missing": [{"chunk": 4, "id": "web-03", "reason": "disconnected", "path": "syndic-a"}]}`
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("%d\n%s\n%s", w.Code, w.Body, want)
	}
	two := `[{"client":"local","tgt":"db-01","fun":"test.ping"},{"client":"wheel","fun":"key.list_all"}]`
	if w := ask(serve(t, f), "POST", "/", two, bob); w.Code != 401 || !strings.Contains(w.Body.String(), `"errors"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(serve(t, f, func(o *Options) { o.Clients = []string{"local"} }), "POST", "/", `{"client":"wheel","fun":"x.y"}`, alice); w.Code != 400 || !strings.Contains(w.Body.String(), "netapi_enable_clients") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A return that was too large for an event is read from the job cache.
func TestLargeReturns(t *testing.T) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	var err error
	if f.trimmed["top-01"], err = client.RawOf("the whole"); err != nil {
		t.Fatal(err)
	}
	w := ask(serve(t, f), "POST", "/", `{"client":"local","tgt":"top-01","fun":"test.large"}`, alice)
	if w.Body.String() != `{"return": [{"top-01": "the whole"}]}` {
		t.Errorf("%s", w.Body)
	}
}

// selfSigned writes a certificate with a number and its key.
func selfSigned(t *testing.T, dir string, number int64) (cert, key string) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &pair.PublicKey, pair)
	if err != nil {
		t.Fatal(err)
	}
	b, err := x509.MarshalPKCS8PrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: b}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TLS speaks HTTP/2, takes a new certificate without a restart, and keeps the old one when
// the new one cannot be read.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := selfSigned(t, dir, 1)
	now := time.Now()
	var mu sync.Mutex
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	later := func() {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(listener.CheckInterval)
	}
	s, err := New(Options{Dialect: CherryPy, Host: "127.0.0.1", Cert: cert, Key: key, Log: quiet, Now: clock}, newFake())
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := t.Context(), make(chan struct{})
	ctx, cancel := contextWithCancel(ctx)
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	defer func() {
		cancel()
		<-done
	}()
	number := func() int64 {
		t.Helper()
		tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true} //nolint:gosec // the certificate is that of this test
		defer tr.CloseIdleConnections()
		resp, err := (&http.Client{Transport: tr}).Get("https://" + s.Addr().String() + "/health")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK {
			t.Errorf("%s %d", resp.Proto, resp.StatusCode)
		}
		return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := number(); n != 1 {
		t.Errorf("certificate %d", n)
	}
	selfSigned(t, dir, 2)
	later()
	if n := number(); n != 2 {
		t.Errorf("certificate %d", n)
	}
	if err := os.WriteFile(key, bytes.Repeat([]byte("x"), 10), 0o600); err != nil {
		t.Fatal(err)
	}
	later()
	if n := number(); n != 2 {
		t.Errorf("certificate %d", n)
	}
}

// Faults in certificates and addresses are errors at the start.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	cert, key := selfSigned(t, dir, 1)
	for word, o := range map[string]Options{
		"disable_ssl":  {Dialect: CherryPy},
		"ssl_key":      {Dialect: CherryPy, Cert: cert},
		"no such file": {Dialect: CherryPy, Cert: filepath.Join(dir, "none"), Key: key},
		"ssl_crt":      {Dialect: CherryPy, Cert: key, Key: cert},
		"cors_origin":  {Dialect: CherryPy, DisableTLS: true, Origins: []string{"ui.example"}},
		"webhook_url":  {Dialect: CherryPy, DisableTLS: true, WebhookURL: "/login"},
		"webhook_url ": {Dialect: CherryPy, DisableTLS: true, WebhookURL: "/a{b}"},
		"dialect":      {Dialect: "rest_wsgi", DisableTLS: true},
		"bind":         {Dialect: CherryPy, DisableTLS: true, Host: "256.0.0.1"},
	} {
		o.Log = quiet
		if s, err := New(o, newFake()); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
			if s != nil {
				s.Close()
			}
		}
	}
}

// An empty call is answered, in both dialects.
func TestEmpty(t *testing.T) {
	for _, d := range []Dialect{CherryPy, Tornado} {
		f := newFake()
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Auth-Token", f.token("alice", time.Hour))
		w := httptest.NewRecorder()
		serve(t, f, func(o *Options) { o.Dialect = d }).ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), "Lowstates must be a list") {
			t.Errorf("%s: %d %s", d, w.Code, w.Body)
		}
	}
}
