package server

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// fakeLogins accepts one token and one password.
type fakeLogins struct {
	mu    sync.Mutex
	asked []Proof
}

func (f *fakeLogins) Identify(_ context.Context, p Proof) (Login, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, p)
	if p.Token == "good" || p.Eauth == "file" && p.Username == "ann" && p.Password == "secret" {
		return Login{Name: "ann", Eauth: "file", Rules: []any{"test.*"}}, nil
	}
	return Login{}, errors.New("no")
}

// A login is used only by commands that support logins, instead of any key: neither a wrong login
// nor one in the wrong place becomes a call with the key beside it.
func TestLogins(t *testing.T) {
	d := &fakeLogins{}
	s := serve(t, func(s *Server) {
		s.Logins = d
		say := func(_ context.Context, r *Request) (any, error) {
			if r.Login != nil {
				return "done for " + r.Login.Name + " by " + r.Login.By + " as " + r.User, nil
			}
			return "done for " + r.User, nil
		}
		s.Add(Command{Name: "open", Who: User, Doc: "Says who asks.", Logins: true}, say)
		s.Add(Command{Name: "calls", Who: Operator, Doc: "Says who asks.", Logins: true, NoAccess: AuthenticationFailed}, say)
		s.Add(Command{Name: "keys", Who: User, Doc: "Says who asks."}, say)
	})
	password := []any{"eauth", "file", "username", "ann", "password", "secret"}
	with := func(login []any, more ...any) []any { return append(append([]any{}, login...), more...) }
	for _, c := range []struct {
		cmd  string
		with []any
		want string
	}{
		{"open", []any{"token", "good"}, "done for ann by token as "},
		{"open", []any{"kwargs", wire.NewMap("token", "good")}, "done for ann by token as "},
		{"open", password, "done for ann by eauth as "},
		{"open", []any{"kwargs", wire.NewMap(password...)}, "done for ann by eauth as "},
		{"open", with(password, "key", "the key of root", "user", "root"), "done for ann by eauth as "},
		{"open", with(password, "token", "bad"), "AuthenticationError"}, // the token has precedence
		{"open", []any{"token", "good", "kwargs", wire.NewMap("token", "good")}, "SaltInvocationError"},
		{"open", []any{"token", "good", "kwargs", wire.NewMap("eauth", nil)}, "SaltInvocationError"},
		{"open", []any{"eauth", "file", "kwargs", wire.NewMap("username", "ann", "password", "secret")}, "AuthenticationError"},
		{"open", []any{"token", "bad", "key", "the key of root"}, "AuthenticationError"},
		{"open", []any{"token", nil, "key", "the key of root"}, "AuthenticationError"},
		{"open", []any{"token", strings.Repeat("g", maxName+1), "key", "the key of root"}, "AuthenticationError"},
		{"open", []any{"eauth", "file", "username", "ann", "password", strings.Repeat("s", maxSecret+1)}, "AuthenticationError"},
		{"open", []any{"key", "the key of fred"}, "done for fred"},
		{"calls", []any{"token", "good"}, "done for ann by token as "},
		{"calls", []any{"token", "bad"}, "TokenAuthenticationError"},
		{"calls", []any{"eauth", "pam"}, "EauthAuthenticationError"},
		{"calls", []any{"key", "the key of fred"}, "UserAuthenticationError"},
		{"keys", []any{"token", "good", "key", "the key of root"}, "AuthenticationError"},
	} {
		if got := shown(s.say(wire.NewMap(append([]any{"cmd", c.cmd}, c.with...)...))); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.cmd, c.with, got, c.want)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.asked {
		if p.From == "" {
			t.Errorf("asked of a login from nowhere: %+v", p)
		}
		if p.Token != "" && p != (Proof{Token: p.Token, From: p.From}) {
			t.Errorf("a token and more: %+v", p)
		}
	}
}

// A stranger's token is read without decoding the rest.
func TestReadProof(t *testing.T) {
	s := serve(t, func(s *Server) {
		s.Add(Command{Name: "read", Who: Anyone, Doc: "Shows the life of the token that is asked for."}, func(_ context.Context, r *Request) (any, error) {
			p, life, err := ReadProof(r)
			return p.Eauth + "/" + p.Username + "/" + p.Password + "/" + p.Token + " " + life.String(), err
		})
	})
	for _, c := range []struct {
		with []any
		want string
	}{
		{nil, "/// 0s"},
		{[]any{"eauth", "file", "username", "ann", "password", "x", "token", "t", "token_expire", 90}, "file/ann/x/t 1m30s"},
		{[]any{"token_expire", 1.5}, "/// 1.5s"},
		{[]any{"token_expire", nil}, "/// 0s"},
		{[]any{"token_expire", 0}, "SaltInvocationError"},
		{[]any{"token_expire", -1}, "SaltInvocationError"},
		{[]any{"token_expire", 1e18}, "SaltInvocationError"},
		{[]any{"token_expire", "60"}, "SaltInvocationError"},
		{[]any{"eauth", 7, "username", []any{}}, "/// 0s"},
	} {
		if got := shown(s.say(wire.NewMap(append([]any{"cmd", "read"}, c.with...)...))); got != c.want {
			t.Errorf("%v: %s, want %s", c.with, got, c.want)
		}
	}
}
