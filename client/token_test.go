package client

import (
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Tokens are made, looked up and revoked without a key. An empty reply is a refusal.
func TestTokens(t *testing.T) {
	m := startMaster(t)
	m.change(func() { m.key = "" })
	c := m.client(func(o *Options) { o.Cachedir = "/nonexistent" })
	m.answer = func(load *wire.Map) any {
		if load.String("cmd") == "revoke_token" {
			return true
		}
		return wire.NewMap("token", "abc", "start", 1700000000.5, "expire", 1700043200.0, "name", "ann", "eauth", "pam",
			"auth_list", []any{".*"}, "groups", []any{"wheel"})
	}
	tok, err := c.MakeToken(within(t), Login{Eauth: "pam", Username: "ann", Password: "secret"}, time.Hour)
	if err != nil || tok.Token != "abc" || tok.Name != "ann" || tok.Eauth != "pam" || tok.Start.UnixMilli() != 1700000000500 || tok.Expire.Unix() != 1700043200 ||
		len(tok.Perms) != 1 || len(tok.Groups) != 1 {
		t.Errorf("%+v %v", tok, err)
	}
	if tok, err := c.Token(within(t), "abc"); err != nil || tok.Name != "ann" {
		t.Errorf("%+v %v", tok, err)
	}
	if err := c.RevokeToken(within(t), "abc"); err != nil {
		t.Error(err)
	}
	seen := m.seen()
	if seen[0].String("cmd") != "mk_token" || seen[0].Int("token_expire") != 3600 || seen[0].String("password") != "secret" || seen[0].Has("key") || seen[1].String("token") != "abc" {
		t.Errorf("sent %#v", seen)
	}
	for name, answer := range map[string]any{
		"text": "", "map": wire.NewMap(), "no": false, "error": wire.NewMap("error", wire.NewMap("name", "TokenAuthenticationError", "message", "no")),
	} {
		m.change(func() { m.answer = func(*wire.Map) any { return answer } })
		var refused *Refused
		if _, err := c.Token(within(t), "old"); !errors.As(err, &refused) || refused.Name != "TokenAuthenticationError" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.MakeToken(within(t), Login{Eauth: "pam", Username: "ann"}, 0); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// CallWheel returns the whole report, whether or not the function failed.
func TestCallWheel(t *testing.T) {
	m := startMaster(t)
	m.change(func() { m.key = "" })
	m.answer = func(*wire.Map) any {
		return wire.NewMap("tag", "salt/wheel/1", "data", wire.NewMap("return", "no such key", "success", false))
	}
	a, err := m.client().As(Login{Token: "abc"}).CallWheel(within(t), "key.accept", map[string]any{"match": "a"})
	if err != nil || a.Tag != "salt/wheel/1" || a.Data.String() != `{"return": "no such key", "success": false}` {
		t.Errorf("%+v %v", a, err)
	}
}
