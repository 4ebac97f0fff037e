package remote

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/client"
)

const (
	testToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	testJID   = "20260101000000000001"
)

// fakeAPI is an API whose responses are set by the test, path by path.
type fakeAPI struct {
	*httptest.Server
	t *testing.T

	mu   sync.Mutex
	do   map[string]http.HandlerFunc // by method and path
	seen []string                    // method and path of each request, and its body
}

// startAPI serves a fake of mom's API. Tests of Salt's API remove the paths that it lacks.
func startAPI(t *testing.T) *fakeAPI {
	t.Helper()
	f := &fakeAPI{t: t, do: map[string]http.HandlerFunc{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	f.answers("GET /openapi.json", `{"paths": {"/jobs/{jid}/stream": {}}}`)
	return f
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	what := r.Method + " " + r.URL.Path
	f.mu.Lock()
	f.seen = append(f.seen, strings.TrimSpace(what+" "+string(b)))
	do := f.do[what]
	f.mu.Unlock()
	if do == nil {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"status": 404, "return": "The path was not found."}`)
		return
	}
	do(w, r)
}

func (f *fakeAPI) handles(what string, do http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.do[what] = do
}

func (f *fakeAPI) answers(what, text string) {
	f.handles(what, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

func (f *fakeAPI) fails(what string, status int, text string) {
	f.handles(what, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
}

// requests returns the requests so far, and clears them.
func (f *fakeAPI) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.seen
	f.seen = nil
	return out
}

// streams serves the stream of a job, one text per connection; the connection breaks at the end
// of each text.
func (f *fakeAPI) streams(texts ...string) {
	f.answers("POST /", `{"return": [{"jid": "`+testJID+`", "minions": ["a"]}]}`)
	n := 0
	f.handles("GET /jobs/"+testJID+"/stream", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream;charset=utf-8")
		f.mu.Lock()
		text := texts[min(n, len(texts)-1)]
		n++
		f.mu.Unlock()
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

func ret(id, value string) string {
	return fmt.Sprintf("tag: salt/job/%s/ret/%s\ndata: {\"tag\": \"t\", \"data\": {\"jid\": \"%s\", \"id\": \"%s\", \"fun\": \"test.ping\", \"return\": %s, \"retcode\": 0, \"success\": true}}\n\n",
		testJID, id, testJID, id, value)
}

const complete = "tag: mom/job/complete\ndata: {\"tag\": \"t\", \"data\": {\"jid\": \"" + testJID + "\", \"expected\": 3, \"returned\": 2, \"failed\": 0, \"missing\": " +
	"{\"c\": {\"reason\": \"Not connected\", \"path\": \"s/t\"}}, \"took\": 1.5, \"nodes\": {\"s\": \"answered\"}}}\n\n"

func (f *fakeAPI) client(change ...func(*Options)) *Client {
	f.t.Helper()
	o := Options{URL: f.URL, Timeout: 20 * time.Second, Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&o)
	}
	c, err := New(o)
	if err != nil {
		f.t.Fatal(err)
	}
	c = c.With(testToken)
	f.t.Cleanup(func() { _ = c.Close() })
	return c
}

func ping() client.Job { return client.Job{Tgt: "*", Fun: []string{"test.ping"}} }
