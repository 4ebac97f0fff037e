package master

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// Read-only functions can be queried without events, by those who may call them as runners and
// nobody else: login users and attackers. The audit shows refusals only.
func TestQueriesAreNotOnTheBus(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	r.minion("near", "minion", "minion").listen().announce()
	rec := r.events()
	token := func(user string) string {
		t.Helper()
		return r.say(wire.NewMap("cmd", "mk_token", "eauth", "auto", "username", user, "password", "x")).String("token")
	}
	alice, bob := token("alice"), token("bob")
	ask := func(fun string, more ...any) *wire.Map {
		t.Helper()
		return r.say(wire.NewMap(append([]any{"cmd", "query", "fun", fun, "user", "root"}, more...)...))
	}
	audited := func() (allowed, refused int) {
		t.Helper()
		if err := r.bus.Fire("fence", wire.NewMap()); err != nil {
			t.Fatal(err)
		}
		rec.take("fence")
		for _, e := range rec.seen {
			if strings.HasPrefix(e.Tag, "salt/run/") {
				t.Errorf("on the bus: %s", e.Tag)
			}
			m, err := wire.DecodeMap(e.Data)
			if err != nil {
				t.Fatal(err)
			}
			if e.Tag == access.AuditTag && m.String("kind") == "runner" && m.Bool("allowed") {
				allowed++
			} else if e.Tag == access.AuditTag && m.String("kind") == "runner" {
				refused++
			}
		}
		rec.seen = nil
		return allowed, refused
	}
	for _, who := range [][]any{{"token", alice}, {"key", rootKey}} {
		got := ask("topology.tree", who...)
		if !got.Bool("success") || got.Map("return").String("id") != "top" || got.Has("reason") {
			t.Errorf("as %v: %v", who[0], plain(t, got))
		}
		got = ask("topology.trace", append(who, "kwarg", wire.NewMap("jid", "20240101000000000001"))...)
		if got.Bool("success") || got.Map("return").String("state") != "unknown" || !strings.Contains(got.String("reason"), "is unknown here") {
			t.Errorf("a job that is not known, as %v: %v", who[0], plain(t, got))
		}
	}
	if allowed, refused := audited(); allowed+refused > 0 {
		t.Errorf("audited %d calls and %d refusals", allowed, refused)
	}
	for _, who := range [][]any{{"token", bob}, {"token", strings.Repeat("ab", 32)}, {"key", "guess"}} {
		if got := ask("topology.tree", who...); !strings.HasSuffix(got.Map("error").String("name"), "AuthenticationError") || got.Has("return") {
			t.Errorf("as %v: %v", who, plain(t, got))
		}
	}
	if _, refused := audited(); refused != 1 { // unknown users are only logged
		t.Errorf("audited %d refusals", refused)
	}
	// Functions with an effect must be called as runners.
	for _, fun := range []string{"error.error", "event.send", "manage.up", "no.such"} {
		if got := ask(fun, "key", rootKey); got.Map("error").String("name") != "SaltRunnerError" {
			t.Errorf("%s: %v", fun, plain(t, got))
		}
	}
	audited()
}
