package client

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A login replaces the key, in the fields that Salt's clients use, and is sent once.
func TestLogin(t *testing.T) {
	m := startMaster(t)
	m.change(func() { m.key = "" })
	m.answer = func(load *wire.Map) any {
		if load.String("cmd") == "publish" {
			return wire.NewMap("load", wire.NewMap("jid", jobID))
		}
		return wire.NewMap("tag", runTag, "data", wire.NewMap("return", true, "success", true))
	}
	c := m.client(func(o *Options) { o.Cachedir = "/nonexistent" })
	if _, err := c.As(Login{Eauth: "pam", Username: "ann", Password: "secret", Token: ""}).Publish(within(t), ping("*")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.As(Login{Token: "abc", Username: "ann"}).StartRunner(within(t), RunnerCall{Fun: "x.y"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.As(Login{Token: "abc"}).Wheel(within(t), "key.list_all", nil); err != nil {
		t.Fatal(err)
	}
	seen := m.seen()
	if kw := seen[0].Map("kwargs"); kw.String("eauth") != "pam" || kw.String("username") != "ann" || kw.String("password") != "secret" || kw.Has("token") || seen[0].Has("eauth") {
		t.Errorf("sent %#v", seen[0])
	}
	for _, load := range seen[1:] {
		if load.String("token") != "abc" || load.Has("username") || load.String("key") != "" {
			t.Errorf("sent %#v", load)
		}
	}
	m.change(func() {
		m.answer = func(*wire.Map) any {
			return wire.NewMap("error", wire.NewMap("name", "TokenAuthenticationError", "message", "no"))
		}
	})
	var refused *Refused
	if _, err := c.As(Login{Token: "old"}).Publish(within(t), ping("*")); !errors.As(err, &refused) || len(m.seen()) != 4 {
		t.Errorf("%v after %d requests", err, len(m.seen()))
	}
	// The original client is unchanged.
	if _, err := c.Publish(within(t), ping("*")); !errors.Is(err, ErrNoKey) {
		t.Errorf("%v", err)
	}
}
