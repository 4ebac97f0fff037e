package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

const (
	bobsJob   = "20240101000000000001"
	alicesJob = "20240101000000000002"
	nobodys   = "20240101000000000003"
	bobsCall  = "20240101000000000004"
	bobsWheel = "20240101000000000005"
)

// The rules of a token decide which events its user may receive.
func TestPermissions(t *testing.T) {
	all, jobs := value.NewMap("*", []any{".*"}), stream.Permissions{User: "pam/ann", Name: "ann", Jobs: true}
	for name, c := range map[string]struct {
		user  string
		perms []any
		want  stream.Permissions
	}{
		"everything":        {"ann", []any{".*"}, stream.Permissions{User: "pam/ann", Name: "ann", All: true}},
		"on all":            {"ann", []any{all}, stream.Permissions{User: "pam/ann", Name: "ann", All: true}},
		"@events":           {"ann", []any{"test.ping", "@events"}, stream.Permissions{User: "pam/ann", Name: "ann", All: true}},
		"@jobs":             {"ann", []any{"@jobs"}, jobs},
		"@runner":           {"ann", []any{"@runner"}, jobs},
		"@runners":          {"ann", []any{"@runners"}, jobs},
		"no rules":          {"ann", nil, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"@wheel":            {"ann", []any{"@wheel"}, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"a part of @jobs":   {"ann", []any{value.NewMap("@jobs", []any{"list_jobs"})}, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"some minions":      {"ann", []any{value.NewMap("web*", []any{".*"})}, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"like everything":   {"ann", []any{"test.*", value.NewMap("*", []any{"test.*", value.NewMap(".*", []any{})}), 7}, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"tags of a mapping": {"ann", []any{value.NewMap("@events", []any{"x"})}, stream.Permissions{User: "pam/ann", Name: "ann"}},
		"root":              {"root", nil, stream.Permissions{User: "pam/root"}},
		"the master's user": {"salt", nil, stream.Permissions{User: "pam/salt"}},
		"sudo":              {"sudo_ann", nil, stream.Permissions{User: "pam/sudo_ann"}},
	} {
		token := Token{Eauth: "pam", Name: c.user, Perms: c.perms}
		if got := (eventRules{masterUser: "salt"}).of(token); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if got := (eventRules{all: true}).of(token); !got.All {
			t.Errorf("%s: %+v though all hear all", name, got)
		}
	}
}

// publish hands events of the master to the hub of a server, and waits until it has them.
func publish(f *fake, events ...client.Event) {
	for _, e := range events {
		f.events <- e
	}
	synctest.Wait()
}

// A user receives only events of own jobs and calls, unless the rules allow more.
func TestEventsByUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.owner[bobsJob], f.owner[alicesJob] = "bob", "alice"
		s := serve(t, f)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			Feed(ctx, f, s.hub, quiet)
		}()
		defer func() { cancel(); <-done }()
		readers := map[string]*stream.Reader{}
		for _, user := range []string{"alice", "bob", "carol", "erin"} {
			tok, err := f.Token(ctx, f.token(user, time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			if readers[user], _, err = s.hub.Subscribe(stream.Filter{}, s.handlers.stats.streams.rules.of(tok), ""); err != nil {
				t.Fatal(err)
			}
		}
		own := []string{
			bobsJob, "salt/job/" + bobsJob + "/new", "salt/job/" + bobsJob + "/ret/web-01", "salt/job/" + bobsJob + "/prog/web-01/1",
			"salt/run/" + bobsCall + "/new", "salt/run/" + bobsCall + "/ret", "salt/wheel/" + bobsWheel + "/new", "salt/wheel/" + bobsWheel + "/ret",
		}
		jobs := []string{"salt/job/" + alicesJob + "/new", "salt/job/" + alicesJob + "/ret/web-01", "salt/job/" + nobodys + "/ret/web-01"}
		others := []string{
			"salt/auth", "salt/key", "key", "mom/audit", "salt/token", "salt/netapi/hook/ci", "salt/presence/present", "salt/minion/web-01/start", "my/event",
			"syndic/a/salt/job/" + bobsJob + "/ret/web-01", "salt/job/bob/new", "salt/job/../new", "salt/run/bob/new", "mom/api/lost", "",
			"salt/run/" + alicesJob + "/ret", "salt/wheel/" + alicesJob + "/ret",
		}
		for _, tag := range slices.Concat(own, jobs, others) {
			// What an event says of its user counts for the first one of a call alone.
			publish(f, event(tag, "user", "bob", "mom_eauth", "file"))
		}
		publish(f, event("salt/run/"+alicesJob+"/new", "user", "alice", "mom_eauth", "file"), event("salt/run/"+alicesJob+"/new", "user", "bob", "mom_eauth", "file"))
		// Another bob: of the machine, and of another service.
		publish(f, event("salt/run/20240101000000000006/new", "user", "bob", "mom_eauth", ""), event("salt/wheel/20240101000000000007/new", "user", "bob", "mom_eauth", "pam"))
		takeover := []string{
			"salt/run/" + alicesJob + "/new", "salt/run/" + alicesJob + "/new", "salt/run/20240101000000000006/new", "salt/wheel/20240101000000000007/new",
		}
		for user, want := range map[string][]string{
			"alice": slices.Concat(own, jobs, others, takeover), "bob": own, "carol": slices.Concat(own[:4], jobs), "erin": nil,
		} {
			var got []string
			for {
				e, ok, err := readers[user].Try()
				if !ok {
					if err != nil {
						t.Error(err)
					}
					break
				}
				got = append(got, e.Tag)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s receives\n%q\nnot\n%q", user, got, want)
			}
		}
		if got := slices.Sorted(slices.Values(f.asked)); !slices.Equal(got, []string{bobsJob, alicesJob, nobodys}) {
			t.Errorf("the master was asked for %q", got)
		}
		// Who comes back is given no more than who stayed, whatever id is shown.
		for _, after := range []string{s.hub.ID(stream.Event{Seq: 0}), s.hub.ID(stream.Event{Seq: 9})} {
			r, _, err := s.hub.Subscribe(stream.Filter{}, stream.Permissions{User: "erin"}, after)
			if e, ok, _ := r.Try(); ok || err != nil {
				t.Errorf("after %s erin is given %q %v", after, e.Tag, err)
			}
		}
	})
}

// The rules hold on every route with events.
func TestEventsOnAllRoutes(t *testing.T) {
	for _, way := range []string{"/events", "/ws", "/ws/TOKEN", "/all_events/TOKEN", "/formatted_events/TOKEN"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.owner[bobsJob], f.owner[alicesJob] = "bob", "alice"
			bob := f.token("bob", time.Hour)
			s := serve(t, f, func(o *Options) { o.Dialect, o.WebSockets = Tornado, true })
			p, stop := start(t, s)
			defer stop()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go Feed(ctx, f, s.hub, quiet)
			var first func() string
			if way == "/events" {
				_, r := send(t, p.dial(t), "GET /events HTTP/1.1\nHost: x\nX-Auth-Token: "+bob+"\n\n")
				lines(t, r, 1)
				first = func() string { return lines(t, r, 3)[2] }
			} else {
				hc := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(t), nil }}}
				conn, _, err := websocket.Dial(t.Context(), "http://x"+strings.ReplaceAll(way, "TOKEN", bob)+"?token="+bob, &websocket.DialOptions{HTTPClient: hc}) //nolint:bodyclose // the connection has it
				if err != nil {
					t.Fatal(err)
				}
				defer conn.CloseNow()
				if err := conn.Write(t.Context(), websocket.MessageText, []byte(readyText)); err != nil {
					t.Fatal(err)
				}
				if way[:3] == "/ws" {
					if _, _, err := conn.Read(t.Context()); err != nil { // what it answers to being ready
						t.Fatal(err)
					}
				}
				first = func() string {
					_, b, err := conn.Read(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return string(b)
				}
			}
			synctest.Wait()
			publish(f, event("salt/key", "id", "secret", "act", "accept"), event("salt/job/"+alicesJob+"/new", "fun", "secret", "minions", []any{"secret"}),
				event("salt/job/"+bobsJob+"/new", "fun", "test.ping", "minions", []any{"web-01"}))
			if got := first(); strings.Contains(got, "secret") || !strings.Contains(got, bobsJob) {
				t.Errorf("%s: %s", way, got)
			}
		})
	}
}

// Changed rules hold for open streams.
func TestRulesOfAnOpenStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		alice := f.token("alice", time.Hour)
		s := serve(t, f)
		p, stop := start(t, s)
		defer stop()
		_, r := send(t, p.dial(t), "GET /events HTTP/1.1\nHost: x\nX-Auth-Token: "+alice+"\n\n")
		lines(t, r, 1)
		s.hub.Publish("salt/auth", []byte("{}"), stream.Audience{})
		lines(t, r, 3)
		f.mu.Lock()
		tok := f.tokens[alice]
		tok.Perms = nil
		f.tokens[alice] = tok
		f.mu.Unlock()
		go func() { time.Sleep(2 * checkEvery * beatTime); s.end() }()
		go func() {
			time.Sleep(checkEvery*beatTime + time.Second)
			s.hub.Publish("salt/auth", []byte("{}"), stream.Audience{})
		}()
		if got := lines(t, r, 2); got[0] != "tag: mom/api/end" {
			t.Errorf("%q", got)
		}
	})
}

// A Salt master cannot be asked for users: its events name them. A master that does not answer is not
// asked for a while, and the readers learn of it.
func TestOwnersFromEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		lost := 0
		o := newOwners(f, quiet, func() { lost++ })
		of := func(tag, user string) string {
			o.find(t.Context(), tag)
			return strings.TrimPrefix(o.audience(tag, value.NewMap("user", user)).User, stream.AnyService)
		}
		f.unsure = errors.New("no answer")
		if got := of("salt/job/"+bobsJob+"/new", "bob"); got != "" || lost != 1 {
			t.Errorf("%q, reported %d times", got, lost)
		}
		f.unsure, f.owner[bobsJob] = nil, "bob"
		if got := of("salt/job/"+bobsJob+"/ret/a", ""); got != "" || len(f.asked) != 1 {
			t.Errorf("%q after %q", got, f.asked)
		}
		time.Sleep(ownerPause)
		if got := of("salt/job/"+bobsJob+"/ret/a", ""); got != "file/bob" || len(f.asked) != 2 {
			t.Errorf("%q after %q", got, f.asked)
		}
		f.mute = true
		for _, c := range [][3]string{
			{"/ret/a", "mallory", ""}, {"/new", "alice", "alice"}, {"/new", "mallory", "alice"}, {"/ret/a", "mallory", "alice"},
		} {
			if got := of("salt/job/"+alicesJob+c[0], c[1]); got != c[2] {
				t.Errorf("%q: %q", c, got)
			}
		}
		n := len(f.asked)
		for i := range maxOwners + 10 {
			of(fmt.Sprintf("salt/job/20250101%012d/new", i), "ann")
			of(fmt.Sprintf("salt/run/20250101%012d/new", i), "ann")
		}
		if o.jobs.Len() != maxOwners || o.calls.Len() != maxOwners || len(f.asked) != n {
			t.Errorf("%d jobs, %d calls are remembered, %d questions", o.jobs.Len(), o.calls.Len(), len(f.asked)-n)
		}
	})
}
