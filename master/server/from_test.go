package server

import (
	"context"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// The field from counts only beside the key of the master's own user. The attackers want their
// failed logins to count as those of others.
func TestFrom(t *testing.T) {
	d := &fakeLogins{}
	s := serve(t, func(s *Server) {
		s.Logins = d
		say := func(_ context.Context, r *Request) (any, error) { return s.From(r) + " " + r.From, nil }
		s.Add(Command{Name: "calls", Who: User, Doc: "Says where a login comes from.", Logins: true}, say)
		s.Add(Command{Name: "mk", Who: Anyone, Doc: "Says where a login comes from."}, say)
	})
	here := shown(s.say(wire.NewMap("cmd", "mk")))
	here = strings.TrimSpace(here)
	if here == "" {
		t.Fatal("a peer without an address")
	}
	for _, c := range []struct {
		with []any
		want string
	}{
		{[]any{"from", "192.0.2.7", "key", "the key of root"}, "192.0.2.7"},
		{[]any{"from", "::ffff:192.0.2.7", "key", "the key of root"}, "192.0.2.7"},
		{[]any{"from", "fe80::1%eth0", "key", "the key of root"}, "fe80::1"},
		{[]any{"from", "192.0.2.7"}, here},
		{[]any{"from", "192.0.2.7", "key", ""}, here},
		{[]any{"from", "192.0.2.7", "key", "the key of fred"}, here},
		{[]any{"from", "192.0.2.7", "key", "a guess"}, here},
		{[]any{"from", "anything", "key", "the key of root"}, here},
		{[]any{"from", "192.0.2.7:80", "key", "the key of root"}, here},
		{[]any{"from", "", "key", "the key of root"}, here},
		{[]any{"from", 7, "key", "the key of root"}, here},
		{[]any{"from", strings.Repeat("1", 1000), "key", "the key of root"}, here},
		{[]any{"key", "the key of root"}, here},
	} {
		if got := strings.TrimSpace(shown(s.say(wire.NewMap(append([]any{"cmd", "mk"}, c.with...)...)))); got != c.want {
			t.Errorf("%v: %s, want %s", c.with, got, c.want)
		}
		login := append([]any{"cmd", "calls", "eauth", "file", "username", "ann", "password", "secret"}, c.with...)
		if got := shown(s.say(wire.NewMap(login...))); got != c.want+" "+c.want {
			t.Errorf("a login with %v: %s, want %s", c.with, got, c.want)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 || d.asked[0].From != "192.0.2.7" {
		t.Errorf("%+v", d.asked)
	}
}
