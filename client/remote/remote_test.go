package remote

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"https://top:8000":        "",
		"https://top:8000/salt/":  "",
		"http://127.0.0.1:8000":   "",
		"http://localhost":        "",
		"http://[::1]:8000":       "",
		"http://top:8000":         "is not encrypted",
		"top:8000":                "invalid API URL",
		"https://ann:" + "pw@top": "must not contain a name or password",
		"https://top?a=b":         "must not contain ? or #",
		"https://%zz":             "invalid API URL",
		"":                        "invalid API URL",
		"ftp://top":               "invalid API URL",
	} {
		_, err := New(Options{URL: url})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: the error shows the password: %v", url, err)
		}
	}
	if _, err := New(Options{URL: "https://top", CA: "/nosuch"}); err == nil {
		t.Error("an authority that is not there is none")
	}
}

// The options of a job are in its low data.
func TestPublish(t *testing.T) {
	f := startAPI(t)
	f.answers("POST /", `{"return": [{"jid": "`+testJID+`", "minions": ["a", "b"]}]}`)
	c := f.client()
	p, err := c.Publish(t.Context(), client.Job{
		Tgt: []string{"a", "b"}, TgtType: "list", Fun: []string{"test.arg"}, Args: []any{int64(1), "x", value.NewMap("__kwarg__", true, "k", 1.5)},
		Ret: "mysql", Timeout: 1500 * time.Millisecond, Queue: time.Minute, Extra: map[string]any{"metadata": "m"},
	})
	if err != nil || p.JID != testJID || !slices.Equal(p.Minions, []string{"a", "b"}) || !p.ReportsEnd {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, want := range []string{
		`"client":"local_async"`, `"tgt":["a","b"]`, `"tgt_type":"list"`, `"fun":"test.arg"`, `"arg":[1,"x",{"__kwarg__":true,"k":1.5}]`,
		`"ret":"mysql"`, `"timeout":2`, `"queue":60`, `"metadata":"m"`,
	} {
		if got := f.seen[len(f.seen)-1]; !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, ": ", ":"), ", ", ","), want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	f.answers("POST /", `{"return": [{}]}`)
	if _, err := c.Publish(t.Context(), ping()); !errors.Is(err, client.ErrNoMatch) {
		t.Errorf("nobody: %v", err)
	}
}

// Values without a JSON form reach mom's API unchanged. For Salt's API they are refused, because
// they would arrive as other values.
func TestPublish_ValuesWithoutJSONForm(t *testing.T) {
	f, salts := startAPI(t), startAPI(t)
	salts.handles("GET /openapi.json", nil)
	for _, arg := range []any{[]byte{'a', 0xff}, value.NewMap(int64(1), "x"), math.NaN()} {
		raw, err := client.RawOf(arg)
		if err != nil {
			t.Fatal(err)
		}
		j := client.Job{Tgt: "*", Fun: []string{"test.arg"}, Args: []any{arg}}
		f.handles("POST /", func(w http.ResponseWriter, _ *http.Request) {
			f.mu.Lock()
			sent := f.seen[len(f.seen)-1]
			f.mu.Unlock()
			var low client.Raw
			if err := low.UnmarshalJSON([]byte(strings.TrimPrefix(sent, "POST / "))); err != nil {
				t.Error(err)
			}
			m, err := low.Map()
			if err != nil {
				t.Fatal(err)
			}
			back, err := client.RawOf(m.List("arg")[0])
			if err != nil || !bytes.Equal(back, raw) {
				t.Errorf("%v arrives as %v, %v", raw, back, err)
			}
			_, _ = w.Write([]byte(`{"return": [{"jid": "` + testJID + `"}]}`))
		})
		if _, err := f.client().Publish(t.Context(), j); err != nil {
			t.Error(err)
		}
		if _, ok := arg.(*value.Map); ok {
			if _, err := salts.client().Publish(t.Context(), j); err == nil || !strings.Contains(err.Error(), "no JSON form") {
				t.Errorf("%v is sent to Salt as something else: %v", arg, err)
			}
		}
	}
}

// A request whose response was lost is retried with the same key.
func TestPublish_AnswerLost(t *testing.T) {
	f := startAPI(t)
	var keys []string
	f.handles("POST /", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		n := len(keys)
		f.mu.Unlock()
		if n <= 2 { // net/http may retry once on its own
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(`{"return": [{"jid": "` + testJID + `"}]}`))
	})
	if _, err := f.client().Publish(t.Context(), ping()); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(keys); len(keys) != 3 || keys[0] != keys[2] || len(keys[0]) < 20 {
		t.Errorf("the keys are %q", keys)
	}
}

// A broken stream is reopened: no update is lost or repeated.
func TestFollow_Breaks(t *testing.T) {
	f := startAPI(t)
	f.streams("retry: 400\n"+ret("a", "1")+"tag: salt/job/"+testJID+"/ret/b\ndata: {\"tag\"", ret("a", "1")+":\n\n"+ret("b", `{"k": [1.0]}`), ret("a", "1")+ret("b", "2")+complete)
	j, err := f.client().Follow(t.Context(), ping())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var got []string
	var o client.Outcome
	for u, err := range j.Updates(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Return != nil {
			got = append(got, u.Return.ID+" "+u.Return.Value.String())
		}
		o.Account = u.Complete
	}
	if want := []string{"a 1", `b {"k": [1.0]}`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if a := o.Account; a.Expected != 3 || a.Missing["c"] != (client.Missing{Reason: "Not connected", Path: "s/t"}) || a.Nodes["s"] != "answered" || a.Took != 1500*time.Millisecond {
		t.Errorf("%+v", a)
	}
}

// Hostile responses of a server end with an error that describes them.
func TestHostile(t *testing.T) {
	run := func(ctx context.Context, c *client.Following) error {
		for {
			u, err := c.Next(ctx)
			if err != nil || u.Complete != nil {
				return err
			}
		}
	}
	follow := func(c *Client) error {
		j, err := c.Follow(context.Background(), ping())
		if err != nil {
			return err
		}
		defer j.Close()
		return run(context.Background(), j)
	}
	endless := func(kind, begin, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			if _, err := w.Write([]byte(begin)); err != nil {
				return
			}
			b := []byte(strings.Repeat(more, 1<<16))
			for {
				if _, err := w.Write(b); err != nil {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		name string
		set  func(f *fakeAPI)
		do   func(c *Client) error
		want string
	}{
		{"endless response", func(f *fakeAPI) { f.handles("POST /login", endless("application/json", `{"return": "`, "x")) }, func(c *Client) error {
			_, err := c.Login(context.Background(), client.Login{}, 0)
			return err
		}, "exceeds 4 MiB"},
		{"not JSON", func(f *fakeAPI) { f.answers("POST /", "<html>") }, follow, "is not JSON; is this the address of an API?"},
		{"deep JSON", func(f *fakeAPI) { f.answers("POST /", strings.Repeat("[", 1<<20)) }, follow, "is not JSON"},
		{"other form", func(f *fakeAPI) { f.answers("POST /", `{"return": 5}`) }, follow, "has no result"},
		{"not a job", func(f *fakeAPI) { f.answers("POST /", `{"return": [5]}`) }, follow, "is not a job"},
		{"not a stream", func(f *fakeAPI) {
			f.streams("")
			f.answers("GET /jobs/"+testJID+"/stream", `{}`)
		}, follow, "is not an event stream"},
		{"endless event", func(f *fakeAPI) {
			f.streams("")
			f.handles("GET /jobs/"+testJID+"/stream", endless("text/event-stream", "data: ", "x"))
		}, follow, "too large"},
		{"many lines in an event", func(f *fakeAPI) {
			f.streams("")
			f.handles("GET /jobs/"+testJID+"/stream", endless("text/event-stream", "tag: t\n", "data: x\n"))
		}, follow, "too large"},
		{"bad event", func(f *fakeAPI) { f.streams("tag: mom/job/complete\ndata: {]\n\n") }, follow, `event "mom/job/complete"`},
		{"event of another job", func(f *fakeAPI) {
			f.streams(strings.ReplaceAll(ret("a", "1"), `"jid": "`+testJID, `"jid": "20990101000000000001`))
		}, follow, "belongs to job"},
		{"return without id", func(f *fakeAPI) { f.streams(strings.ReplaceAll(ret("a", "1"), `"id": "a"`, `"id": ""`)) }, follow, "no minion id"},
		{"no such job", func(f *fakeAPI) {
			f.streams("")
			f.fails("GET /jobs/"+testJID+"/stream", 404, `{"status": 404, "return": "no such job"}`)
		}, follow, "no such job"},
		{"redirect", func(f *fakeAPI) {
			f.handles("POST /", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://elsewhere/", http.StatusTemporaryRedirect)
			})
		}, follow, `location "https://elsewhere/"`},
		{"redirect of a stream", func(f *fakeAPI) {
			f.streams("")
			f.handles("GET /jobs/"+testJID+"/stream", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://elsewhere/", http.StatusFound)
			})
		}, follow, `location "https://elsewhere/"`},
		{"invalid token at rest_tornado", func(f *fakeAPI) {
			f.handles("POST /", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) })
		}, follow, "No permission"},
		{"endless error", func(f *fakeAPI) { f.fails("POST /", 500, `{"return": "`+strings.Repeat("x", 1<<20)+`"}`) }, follow, "xxx…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := startAPI(t)
			c.set(f)
			err := c.do(f.client(func(o *Options) { o.event = 1 << 20 }))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 4000 {
				t.Errorf("%.300v, want %q", err, c.want)
			}
		})
	}
}

// A redirect is refused before the token reaches its target.
func TestRedirectShowsNoToken(t *testing.T) {
	other := startAPI(t)
	other.answers("POST /", `{"return": [{"jid": "`+testJID+`"}]}`)
	for _, status := range []int{301, 302, 303, 307, 308} {
		f := startAPI(t)
		f.handles("POST /", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/", status) })
		_, err := f.client().Publish(t.Context(), ping())
		if !errors.Is(err, ErrRedirected) || len(other.requests()) > 0 {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// HTTP statuses map to the errors of package client.
func TestStatuses(t *testing.T) {
	f := startAPI(t)
	c := f.client()
	for _, s := range []struct {
		status int
		text   string
		as     func(error) bool
	}{
		{401, "No permission -- see authorization schemes", isRefused("TokenAuthenticationError")},
		{401, "Authorization error occurred.", isRefused("AuthorizationError")},
		{400, "Client disabled: 'local_async'.", isRefused("SaltClientError")},
		{400, "tgt: it is no expression", func(err error) bool { _, ok := errors.AsType[*client.TargetError](err); return ok }},
		{429, "slower", isRefused("SaltClientError")},
		{503, "The master does not answer", func(err error) bool { return errors.Is(err, client.ErrUnreachable) }},
		{504, "too late", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		{500, "An unexpected error occurred", func(err error) bool { e, ok := errors.AsType[*StatusError](err); return ok && e.Status == 500 }},
	} {
		f.fails("POST /", s.status, `{"status": 1, "return": "`+s.text+`"}`)
		if _, err := c.Publish(t.Context(), ping()); !s.as(err) {
			t.Errorf("%d %s: %v", s.status, s.text, err)
		}
	}
	f.Close()
	if _, err := c.Publish(t.Context(), ping()); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("nobody is there: %v", err)
	}
}

func isRefused(name string) func(error) bool {
	return func(err error) bool {
		r, ok := errors.AsType[*client.Refused](err)
		return ok && r.Name == name
	}
}

// Runner and wheel calls, and their failures.
func TestCalls(t *testing.T) {
	f := startAPI(t)
	c := f.client()
	f.answers("POST /", `{"return": [{"tag": "salt/run/1/ret", "data": {"jid": "1", "return": {"a": 1}, "success": true}}]}`)
	var began client.Started
	v, err := c.CallRunner(t.Context(), client.RunnerCall{Fun: "test.arg", Timeout: 2 * time.Second, Began: func(s client.Started) { began = s }})
	if err != nil || !strings.Contains(v.String(), `"a"`) || began != (client.Started{JID: "1", Tag: "salt/run/1"}) {
		t.Errorf("%v, %v, %v", v, began, err)
	}
	var failure *client.RunnerError
	f.answers("POST /", `{"return": [{"tag": "t", "data": {"return": "no way", "success": false}}]}`)
	if _, err := c.Runner(t.Context(), "a.b"); !errors.As(err, &failure) || failure.Reason != "no way" || failure.Value != nil {
		t.Errorf("%+v", err)
	}
	f.answers("POST /", `{"return": [{"tag": "t", "data": {"return": {}, "success": false, "error": "no way"}}]}`)
	if _, err := c.Runner(t.Context(), "a.b"); !errors.As(err, &failure) || failure.Reason != "no way" || failure.Value == nil {
		t.Errorf("%+v", err)
	}
	f.answers("POST /", `{"return": [{"tag": "salt/wheel/1", "data": {"return": {}, "success": true}}]}`)
	if a, err := c.CallWheel(t.Context(), "key.list_all", nil); err != nil || a.Tag != "salt/wheel/1" {
		t.Errorf("%v, %v", a, err)
	}
	if _, err := c.StartRunner(t.Context(), client.RunnerCall{Fun: "a.b", JID: "1"}); err == nil {
		t.Error("an id of one's own is taken")
	}
}

// Calls that Salt's own API does not support are refused with a reason.
func TestSaltAPIUnsupported(t *testing.T) {
	f := startAPI(t)
	f.handles("GET /openapi.json", nil)
	if _, err := f.client().Meant(t.Context(), ping(), 10); err == nil || !strings.Contains(err.Error(), "Salt's own API cannot preview a job") {
		t.Errorf("%v", err)
	}
	f.fails("POST /", http.StatusInternalServerError, `{"status": 500, "return": "An unexpected error occurred"}`)
	var failed *client.RunnerError
	if _, err := f.client().Runner(t.Context(), "no.such"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "Salt's own API gives no reason") {
		t.Errorf("%v", err)
	}
	for _, held := range []string{`"return": null`, `"return": "VALUE_TRIMMED"`} {
		f.answers("POST /", `{"return": [{"tag": "salt/run/1/ret", "data": {"jid": "1", "success": true, "held": true, `+held+`}}]}`)
		if v, err := f.client().Runner(t.Context(), "auth.mk_token"); err == nil || v != nil || !strings.Contains(err.Error(), "runner auth.mk_token: Salt's own API cannot fetch the result") || !strings.Contains(err.Error(), "mom api") {
			t.Errorf("%s: %v, %v", held, v, err)
		}
	}
}

// With Salt's own API the server waits, and only what it reports is claimed.
func TestSaltsOwnAPI(t *testing.T) {
	f := startAPI(t)
	f.handles("GET /openapi.json", nil)
	f.answers("POST /", `{"return": [{"a": {"ret": true, "retcode": 0, "jid": "1"}, "b": {"ret": "bad", "retcode": 2, "jid": "1"}, "c": false, "d": {"out": "no_return", "ret": "Minion did not return. [No response]"}}]}`)
	c := f.client()
	o, err := c.Run(t.Context(), client.Job{Tgt: []string{"a", "e"}, TgtType: "list", Fun: []string{"test.ping"}})
	if err != nil || len(o.Returns) != 2 || o.Returns["b"].Retcode != 2 || o.Account.Failed != 1 || len(o.Account.Missing) != 3 || o.Account.Expected != 5 {
		t.Errorf("%+v, %v", o.Account, err)
	}
	if got := f.requests(); len(got) != 2 || !strings.Contains(got[1], `"local"`) || !strings.Contains(got[1], `full_return`) {
		t.Errorf("%q", got)
	}
	f.answers("POST /", `{"return": [{}]}`)
	if _, err := c.Run(t.Context(), ping()); !errors.Is(err, client.ErrNoMatch) {
		t.Errorf("nobody: %v", err)
	}
}

// A stream that is silent for too long counts as broken.
func TestSilence(t *testing.T) {
	f := startAPI(t)
	f.streams("")
	n := 0
	f.handles("GET /jobs/"+testJID+"/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		f.mu.Lock()
		n++
		last := n == 2
		f.mu.Unlock()
		if last {
			_, _ = w.Write([]byte(complete))
			return
		}
		_, _ = w.Write([]byte(":\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := f.client(func(o *Options) { o.Silence = 50 * time.Millisecond })
	if o, err := c.Run(t.Context(), ping()); err != nil || o.Account == nil || n != 2 {
		t.Errorf("%+v, %v, asked %d times", o, err, n)
	}
}

// The end of ctx ends Next; the stream can be read afterwards.
func TestFollow_ReadOn(t *testing.T) {
	f := startAPI(t)
	f.streams("")
	hold := make(chan struct{})
	f.handles("GET /jobs/"+testJID+"/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(ret("a", "1")))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-hold:
			_, _ = w.Write([]byte(complete))
		case <-r.Context().Done():
		}
	})
	j, err := f.client().Follow(t.Context(), ping())
	if err != nil {
		t.Fatal(err)
	}
	if u, err := j.Next(t.Context()); err != nil || u.Return == nil {
		t.Fatalf("%+v, %v", u, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(hold)
	if u, err := j.Next(t.Context()); err != nil || u.Complete == nil {
		t.Errorf("%+v, %v", u, err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := j.Next(t.Context()); !errors.Is(err, client.ErrClosed) {
		t.Errorf("%v", err)
	}
}
