package client

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// Meant sends the load of a publication under the same login.
func TestMeant(t *testing.T) {
	m := startMaster(t)
	m.change(func() { m.key = "" })
	m.answer = func(*wire.Map) any {
		return wire.NewMap("enc", "clear", "load", wire.NewMap("count", 3, "down", 1, "unknown", 2, "blind", 1,
			"minions", []any{wire.NewMap("id", "web-1", "path", "a/b", "state", "up"), "x"}, "nodes", []any{wire.NewMap("path", "a/b", "count", 3), 5}))
	}
	got, err := m.client(grouped).As(Login{Token: "abc"}).Meant(within(t), Job{Tgt: "pair", TgtType: "nodegroup", Fun: []string{"test.ping"}, Args: []any{"x"}}, 7)
	want := Meant{
		Count: 3, Down: 1, Unknown: 2, Blind: 1, Minions: []topology.Place{{ID: "web-1", Path: "a/b", State: topology.Up}}, Nodes: []MeantBy{{"a/b", 3}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if load := m.seen()[0]; load.String("cmd") != "preview" || load.Int("limit") != 7 || load.String("token") != "abc" || load.String("tgt_type") != "compound" || load.String("fun") != "test.ping" || len(load.List("arg")) != 1 {
		t.Errorf("sent %#v", load)
	}
	m.change(func() {
		m.answer = func(*wire.Map) any {
			return wire.NewMap("error", wire.NewMap("name", "AuthorizationError", "message", "no"))
		}
	})
	var refused *Refused
	if _, err := m.client().As(Login{Token: "abc"}).Meant(within(t), ping("*"), 0); !errors.As(err, &refused) {
		t.Error(err)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap() } }) // as a Python master answers
	if _, err := m.client().As(Login{Token: "abc"}).Meant(within(t), ping("*"), 0); err == nil {
		t.Error("an empty answer was taken")
	}
	var bad *TargetError
	if _, err := m.client(grouped).As(Login{Token: "abc"}).Meant(within(t), Job{Tgt: "none", TgtType: "nodegroup", Fun: []string{"x.y"}}, 0); !errors.As(err, &bad) {
		t.Error(err)
	}
}
