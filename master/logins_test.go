package master

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// S0: what comes with a login is judged by the login, never by the key beside it.
// Salt's clients send root's key along with every token or eauth, so a wrong password
// ran commands as root. One minion; every clear command that does something; each
// field, in each of its two places, with whatever it may hold. The liar is a user of
// salt-api whose password is wrong.
func TestLoginsAreRefusedBesideAnyKey(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	loads := map[string]*wire.Map{
		"publish":       testJob("*", "glob"),
		"publish_batch": testJob("*", "glob"),
		"runner":        wire.NewMap("fun", "jobs.active", "key", rootKey, "user", "root"),
		"wheel":         wire.NewMap("fun", "key.list_all", "key", rootKey, "user", "root"),
	}
	for cmd, good := range loads {
		good.Set("cmd", cmd)
		for _, c := range []struct {
			name string
			want string // for runner and wheel
			cred []any
		}{
			{"a wrong password", "Eauth", []any{"eauth", "pam", "username", "nobody", "password", "WRONG"}},
			{"eauth alone", "Eauth", []any{"eauth", "pam"}},
			{"an empty eauth", "Eauth", []any{"eauth", ""}},
			{"no eauth", "Eauth", []any{"eauth", nil}},
			{"a token that is none", "Token", []any{"token", "deadbeef00"}},
			{"an empty token", "Token", []any{"token", ""}},
			{"no token", "Token", []any{"token", nil}},
			{"a number as token", "Token", []any{"token", 7}},
			{"both", "Token", []any{"eauth", "pam", "token", strings.Repeat("a", 64)}},
		} {
			for _, place := range []string{"load", "kwargs"} {
				load := good.Clone()
				cred := wire.NewMap(c.cred...)
				if place == "kwargs" {
					load.Set("kwargs", cred)
				} else {
					for _, k := range cred.Keys() {
						v, _ := cred.Get(k.(string))
						load.Set(k, v)
					}
				}
				name, message := "AuthenticationError", "Authentication error occurred."
				if cmd == "runner" || cmd == "wheel" {
					name, message = c.want+"AuthenticationError", `Authentication failure of type "`+strings.ToLower(c.want)+`" occurred`
				}
				got := r.say(load)
				if e := got.Map("error"); got.Len() != 1 || e == nil || e.String("name") != name || e.String("message") != message {
					t.Errorf("%s with %s in %s: %v", cmd, c.name, place, plain(t, got))
				}
			}
		}
	}
	for _, c := range [][]any{{"token", "x"}, {"eauth", "pam", "username", "u", "password", "p"}} {
		if v := decoded(t, r.clearBytes(wire.NewMap(append([]any{"cmd", "mk_token", "key", rootKey}, c...)...))); v != "" {
			t.Errorf("mk_token with %v: %v", c, v)
		}
	}
	// The key alone is still good, and nothing was published before.
	id := r.say(testJob("*", "glob")).Map("load").String("jid")
	if p := m.hear(); p.JID != id {
		t.Errorf("heard %s before %s", p.JID, id)
	}
}
