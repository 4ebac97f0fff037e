package master

import (
	"errors"
	"slices"
	"testing"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Calls in the templates of reactions and orchestrations fire events and return the results of
// Salt's functions.
func TestTemplateCalls(t *testing.T) {
	r := newRig(t)
	r.start()
	r.accept("a", "minion")
	eventually(t, "the key of a", func() bool { return r.keys.Accepted("a") })
	bus := r.events()
	f := r.env.Functions("root")
	v, err := f.Call(t.Context(), "saltutil.wheel", []any{"key.list", "accepted"}, nil)
	got, _ := v.(*value.Map)
	if err != nil || got.String("fun") != "wheel.key.list" || got.String("user") != "root" || !slices.Equal(got.Map("return").List("minions"), []any{"a"}) {
		t.Errorf("%v, %#v", err, v)
	}
	bus.take("salt/wheel/" + got.String("jid") + "/ret")
	v, err = f.Call(t.Context(), "saltutil.runner", nil, value.NewMap("name", "test.arg", "arg", []any{1}, "saltenv", "dev", "full_return", true))
	got, _ = v.(*value.Map)
	if err != nil || len(got.Map("return").List("args")) != 1 || got.Map("return").Map("kwargs").Len() != 0 {
		t.Errorf("%v, %#v", err, v)
	}
	bus.take("salt/run/" + got.String("jid") + "/ret")
	for name, args := range map[string][]any{"saltutil.runner": {"no.such"}, "saltutil.wheel": nil, "test.ping": nil} {
		if _, err := f.Call(t.Context(), name, args, nil); err == nil || errors.Is(err, render.ErrNoFunction) != (name == "test.ping") {
			t.Errorf("%s %v: %v", name, args, err)
		}
	}
}
