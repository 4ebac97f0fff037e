package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// lines reads n lines of a stream, heartbeats aside.
func lines(t *testing.T, r *bufio.Reader, n int) []string {
	t.Helper()
	var out []string
	for len(out) < n {
		l, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", out, err)
		}
		if l = strings.TrimSuffix(l, "\n"); l != "" && l != ":" {
			out = append(out, l)
		}
	}
	return out
}

func event(tag string, kv ...any) client.Event {
	raw, err := client.RawOf(value.NewMap(kv...))
	if err != nil {
		panic(err)
	}
	return client.Event{Tag: tag, Data: raw, Time: time.Unix(0, 0)}
}

// Events come in Salt's form, by the tags that were asked for, and go on after a break.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f)
		p, stop := start(t, s)
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go Feed(ctx, f, s.hub, quiet)
		resp, r := send(t, p.dial(t), "GET /events?tag=salt/job/ HTTP/1.1\nHost: x\nX-Auth-Token: "+alice+"\n\n")
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream;charset=utf-8" {
			t.Fatalf("%d %v", resp.StatusCode, resp.Header)
		}
		if got := lines(t, r, 1); got[0] != "retry: 400" {
			t.Errorf("%q", got)
		}
		f.events <- event("salt/auth", "id", "a")
		f.events <- event("salt/job/1/new", "jid", "1", "n", 1)
		got := lines(t, r, 3)
		if got[1] != "tag: salt/job/1/new" || got[2] != `data: {"data": {"jid": "1", "n": 1, "_stamp": "1970-01-01T00:00:00.000000"}, "tag": "salt/job/1/new"}` {
			t.Errorf("%q", got)
		}
		id := strings.TrimPrefix(got[0], "id: ")
		f.events <- event("salt/job/2/new")
		lines(t, r, 3)
		// The last one that was read was the first: the second comes again.
		_, r = send(t, p.dial(t), "GET /events?tag=salt/job/&salt_token="+alice+" HTTP/1.1\nHost: x\nLast-Event-ID: "+id+"\n\n")
		if got := lines(t, r, 4); got[2] != "tag: salt/job/2/new" {
			t.Errorf("%q", got)
		}
		_, r = send(t, p.dial(t), "GET /events?token="+alice+" HTTP/1.1\nHost: x\nLast-Event-ID: other-7\n\n")
		if got := lines(t, r, 3); got[1] != "tag: mom/api/gap" {
			t.Errorf("%q", got)
		}
		// The bus breaks: the feed opens it again and notifies the readers.
		f.breaks <- struct{}{}
		if got := lines(t, r, 3); got[1] != "tag: mom/api/lost" {
			t.Errorf("%q", got)
		}
		// A tag cannot make lines of its own.
		f.events <- event("a\ndata: forged\n\n")
		if got := lines(t, r, 3); got[1] != "tag: a data: forged  " {
			t.Errorf("%q", got)
		}
	})
}

// A stream ends with its token, and says so.
func TestStreamsEnd(t *testing.T) {
	for name, end := range map[string]func(*fake, *Server, string){
		"expired":  func(*fake, *Server, string) {},
		"revoked":  func(f *fake, _ *Server, id string) { _ = f.RevokeToken(context.Background(), id) },
		"stopping": func(_ *fake, s *Server, _ string) { s.end() },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			alice := f.token("alice", 10*time.Minute)
			s := serve(t, f)
			p, stop := start(t, s)
			defer stop()
			_, r := send(t, p.dial(t), "GET /events HTTP/1.1\nHost: x\nX-Auth-Token: "+alice+"\n\n")
			lines(t, r, 1)
			end(f, s, alice)
			if got := lines(t, r, 2); got[0] != "tag: mom/api/end" {
				t.Errorf("%s: %q", name, got)
			}
			if _, err := r.ReadString('\n'); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil {
				t.Errorf("%s: %q %v", name, rest, err)
			}
		})
	}
}

// Who does not read is cut off: the connection ends, and other streams go on.
func TestSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f, func(o *Options) { o.Hub = stream.New(stream.Options{Queue: 4}) })
		p, stop := start(t, s)
		defer stop()
		get := "GET /events HTTP/1.1\nHost: x\nX-Auth-Token: " + alice + "\n\n"
		slow := p.dial(t)
		_, sr := send(t, slow, get)
		lines(t, sr, 1)
		_, fr := send(t, p.dial(t), get)
		lines(t, fr, 1)
		big := []byte(`{"data": "` + strings.Repeat("x", 1<<20) + `"}`)
		for range 20 {
			s.hub.Publish("x", big, stream.Audience{})
			lines(t, fr, 3)
		}
		go func() { _, _ = io.Copy(io.Discard, fr) }()
		time.Sleep(2 * sendTime) // of the clock of this test: the deadline of the slow one passes
		synctest.Wait()
		if got := s.handlers.stats.streams.open.Load(); got != 1 {
			t.Errorf("%d streams are open", got)
		}
		if _, err := io.Copy(io.Discard, slow); err != nil && err != io.ErrClosedPipe {
			t.Errorf("the slow connection: %v", err)
		}
	})
}

// There are so many streams, and no more.
func TestMaxStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f, func(o *Options) { o.MaxStreams, o.MaxInFlight = 1000, 4 })
		p, stop := start(t, s)
		defer stop()
		get := "GET /events HTTP/1.1\nHost: x\nX-Auth-Token: " + alice + "\n\n"
		var rs []*bufio.Reader
		for range 1000 {
			resp, r := send(t, p.dial(t), get)
			if resp.StatusCode != http.StatusOK {
				t.Fatal(resp.StatusCode)
			}
			lines(t, r, 1)
			rs = append(rs, r)
		}
		if resp, _ := send(t, p.dial(t), get); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%d", resp.StatusCode)
		}
		s.hub.Publish("x", []byte("{}"), stream.Audience{})
		for _, r := range rs {
			if got := lines(t, r, 3); got[1] != "tag: x" {
				t.Fatalf("%q", got)
			}
		}
		if w := ask(s, "GET", "/", "", ""); w.Code != 200 {
			t.Errorf("streams take the place of requests: %d", w.Code)
		}
	})
}

// A web socket waits for its client, and sends what the dialect does.
func TestWebSockets(t *testing.T) {
	for _, c := range []struct {
		dialect     Dialect
		path, reply string
		want        string
	}{
		{CherryPy, "/ws/TOKEN", "server received message", `data: {"data": {"jid": "1", "minions": ["a"], "_stamp": "1970-01-01T00:00:00.000000"}, "tag": "salt/job/1/new"}` + "\n\n"},
		{CherryPy, "/ws?token=TOKEN", "server received message", `data: {"data": {"jid": "1", "minions": ["a"], "_stamp": "1970-01-01T00:00:00.000000"}, "tag": "salt/job/1/new"}` + "\n\n"},
		{Tornado, "/all_events/TOKEN", "", `{"data": {"jid": "1", "minions": ["a"], "_stamp": "1970-01-01T00:00:00.000000"}, "tag": "salt/job/1/new"}`},
		{Tornado, "/formatted_events/TOKEN", "", `{"jobs": {"1": {"jid": "1", "minions": {"a": {"success": false}}, "state": "running", "start_time": "1970-01-01T00:00:00.000000", "fun": null, "tgt": null, "tgt_type": null}}}` + "\n\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			alice := f.token("alice", time.Hour)
			s := serve(t, f, func(o *Options) { o.Dialect, o.WebSockets = c.dialect, true })
			p, stop := start(t, s)
			defer stop()
			hc := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(t), nil }}}
			conn, _, err := websocket.Dial(t.Context(), "http://x"+strings.ReplaceAll(c.path, "TOKEN", alice), &websocket.DialOptions{HTTPClient: hc}) //nolint:bodyclose // the connection has it
			if err != nil {
				t.Fatal(err)
			}
			defer conn.CloseNow()
			if err := conn.Write(t.Context(), websocket.MessageText, []byte(readyText)); err != nil {
				t.Fatal(err)
			}
			read := func() string {
				_, b, err := conn.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			if c.reply != "" {
				if got := read(); got != c.reply {
					t.Errorf("%s: %q", c.path, got)
				}
			}
			synctest.Wait()
			_, line, err := eventData(event("salt/job/1/new", "jid", "1", "minions", []any{"a"}))
			if err != nil {
				t.Fatal(err)
			}
			s.hub.Publish("salt/job/1/new", line, stream.Audience{})
			if got := read(); got != c.want {
				t.Errorf("%s: %q", c.path, got)
			}
			s.end()
			if got := read(); !strings.Contains(got, "mom/api/end") {
				t.Errorf("%s: %q", c.path, got)
			}
		})
	}
}

// The returns of a job come as they do, and its account is the end.
func TestJobStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.follow = make(chan client.Update)
		alice, jid := f.token("alice", time.Hour), "20240101000000000001"
		f.owner[jid] = "alice"
		s := serve(t, f)
		p, stop := start(t, s)
		defer stop()
		_, r := send(t, p.dial(t), "GET /jobs/"+jid+"/stream HTTP/1.1\nHost: x\nX-Auth-Token: "+alice+"\n\n")
		lines(t, r, 1)
		ret := play(client.Job{Fun: []string{"test.ping"}}, jid, "web-01")
		f.follow <- client.Update{Return: &ret}
		if got := lines(t, r, 2); got[1] != `data: {"data": {"jid": "`+jid+`", "id": "web-01", "fun": "test.ping", "return": true, "retcode": 0, "success": true}, "tag": "salt/job/`+jid+`/ret/web-01"}` {
			t.Errorf("%q", got)
		}
		f.follow <- client.Update{Missing: map[string]client.Missing{"db-01": {Reason: "disconnected", Path: "a/b"}}}
		if got := lines(t, r, 2); got[0] != "tag: mom/job/missing" || !strings.Contains(got[1], `{"db-01": {"reason": "disconnected", "path": "a/b"}}`) {
			t.Errorf("%q", got)
		}
		f.follow <- client.Update{Complete: &client.Account{JID: jid, Expected: 2, Returned: 1}}
		if got := lines(t, r, 2); got[0] != "tag: mom/job/complete" || !strings.Contains(got[1], `"expected": 2, "returned": 1`) {
			t.Errorf("%q", got)
		}
		if rest, err := io.ReadAll(r); strings.TrimSpace(string(rest)) != "" || err != nil {
			t.Errorf("%q %v", rest, err)
		}
	})
}

// A long poll ends with the job, or with its time.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.follow = make(chan client.Update, 1)
		alice, jid := f.token("alice", time.Hour), "20240101000000000001"
		f.owner[jid] = "alice"
		f.jobs[jid] = value.NewMap("jid", jid, "Result", value.NewMap("a", value.NewMap("return", true)))
		s := serve(t, f)
		complete := func(path string) any {
			w := ask(s, "GET", path, "", alice)
			var m map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code != 200 || fmt.Sprint(m["return"]) != "[map[a:true]]" {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			return m["complete"]
		}
		begun := time.Now()
		if got := complete("/jobs/" + jid + "?wait=30"); got != false || time.Since(begun) != 30*time.Second {
			t.Errorf("%v after %v", got, time.Since(begun))
		}
		f.follow <- client.Update{Complete: &client.Account{}}
		if got := complete("/jobs/" + jid + "?wait=30"); got != true || time.Since(begun) != 30*time.Second {
			t.Errorf("%v after %v", got, time.Since(begun))
		}
		if got := complete("/jobs/" + jid); got != nil {
			t.Errorf("%v", got)
		}
		for path, want := range map[string]int{"/jobs/" + jid + "?wait=x": 400, "/jobs/" + jid + "?wait=9999": 400, "/jobs/abc?wait=1": 400, "/jobs/20240101000000000009?wait=1": 404} {
			if w := ask(s, "GET", path, "", alice); w.Code != want {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	})
}
