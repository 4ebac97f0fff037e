package secrets

import (
	"reflect"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

const hidden = "hunter2"

func TestMasker_Args(t *testing.T) {
	kw := func(kv ...any) *wire.Map { m := wire.NewMap(kv...); m.Set("__kwarg__", true); return m }
	for _, c := range []struct {
		fun  string
		args []any
		want string // as Python writes it; "" means that nothing is masked
	}{
		{"user.add", []any{"bob", kw("password", hidden)}, `['bob', {'password': '**********', '__kwarg__': True}]`},
		{"user.add", []any{"bob", "password=" + hidden}, `['bob', 'password=**********']`},
		{"user.add", []any{"bob", "password="}, ""},
		{"shadow.set_password", []any{"bob", hidden}, `['bob', '**********']`},
		{"shadow.set_password", []any{"password=" + hidden, "name=bob"}, `['password=**********', 'name=bob']`},
		{"state.apply", []any{"web", kw("pillar", wire.NewMap("db", wire.NewMap("api_token", hidden, "host", "h")))}, `['web', {'pillar': {'db': {'api_token': '**********', 'host': 'h'}}, '__kwarg__': True}]`},
		{"state.apply", []any{"web", `pillar={"db": {"password": "` + hidden + `"}}`}, `['web', 'pillar=**********']`},
		{"x.y", []any{[]any{wire.NewMap("Secret", hidden)}}, `[[{'Secret': '**********'}]]`},
		{"x.y", []any{[]byte(`{"pwd": "` + hidden + `"}`)}, `['**********']`},
		{"grains.get", []any{kw("key", "os")}, ""},
		{"pkg.install", []any{"nginx", kw("keyserver", "k", "refresh", true)}, ""},
		{"cmd.run", []any{"echo password"}, ""},
		{"user.add", []any{"bob", kw("password", nil)}, ""},
		{"test.arg", nil, ""},
	} {
		before := pyfmt.Repr(c.args)
		out, masked := Masker{}.Args(c.fun, c.args)
		if masked != (c.want != "") || masked && pyfmt.Repr(out) != c.want {
			t.Errorf("%s %s: %s, masked %v, want %s", c.fun, before, pyfmt.Repr(out), masked, c.want)
		}
		if masked && strings.Contains(pyfmt.Repr(out), hidden) {
			t.Errorf("%s: the secret is still there", c.fun)
		}
		if after := pyfmt.Repr(c.args); after != before {
			t.Errorf("%s: the arguments were changed: %s", c.fun, after)
		}
		if same, is := (Masker{Off: true}).Args(c.fun, c.args); is || !reflect.DeepEqual(same, c.args) {
			t.Errorf("%s: masked although it is off", c.fun)
		}
	}
}

func FuzzMasker_Load(f *testing.F) {
	good, _ := wire.Encode(wire.NewMap("fun", "user.add", "arg", []any{"bob", "password=x"}, "kwargs", wire.NewMap("token", "y")))
	several, _ := wire.Encode(wire.NewMap("fun", []any{"a.b", "c.d"}, "arg", []any{[]any{"pwd=1"}, []any{}}))
	for _, b := range [][]byte{good, several, {0x80}, {0xc0}} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := Masker{}.Load(b)
		if err != nil {
			return
		}
		again, err := Masker{}.Load(out)
		if err != nil {
			t.Fatalf("a masked load cannot be read: %v", err)
		}
		if string(again) != string(out) {
			t.Fatalf("masking twice differs: %x, %x", out, again)
		}
	})
}
