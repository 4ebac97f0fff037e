package peercall

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Requests are decoded as by Salt's master. Functions that would publish again are refused,
// wherever they are named.
func TestReadRequest(t *testing.T) {
	load := func(fun, arg any, more ...any) *wire.Map {
		m := wire.NewMap("fun", fun, "arg", arg, "tgt", "*")
		for i := 0; i < len(more); i += 2 {
			m.Set(more[i], more[i+1])
		}
		return m
	}
	r, err := readRequest(load("a.b,c.d", []any{"x y", ""}, "tgt_type", "nodegroups", "tmo", 1e9, "form", "full"))
	if err != nil || !cmp.Equal(r.fun, any([]any{"a.b", "c.d"})) || !cmp.Equal(r.arg, []any{[]any{"x", "y"}, []any{}}) || r.kind != "nodegroup" || r.timeout != time.Minute || !r.full {
		t.Errorf("several: %+v, %v", r, err)
	}
	r, err = readRequest(load("a.b", "one", "tmo", 2.5))
	if err != nil || r.fun != any("a.b") || !cmp.Equal(r.arg, []any{"one"}) || r.kind != "glob" || r.timeout != 2500*time.Millisecond {
		t.Errorf("one: %+v, %v", r, err)
	}
	for _, m := range []*wire.Map{
		load("publish.publish", []any{}), load("a.b,publish.full_data", []any{}), load("a.b, publish.publish", []any{}),
		load("", []any{}), load(nil, []any{}), load([]any{"a.b"}, []any{}), wire.NewMap("fun", "a.b", "arg", []any{}), wire.NewMap("fun", "a.b", "tgt", "*"), wire.NewMap(),
	} {
		if r, err := readRequest(m); err == nil {
			t.Errorf("%v is read as %+v", m.Keys(), r)
		}
	}
}

// An invalid load of a stranger is an error and nothing more.
func FuzzReadRequest(f *testing.F) {
	seed, err := wire.Encode(wire.NewMap("fun", "a.b,c.d", "arg", []any{"x", []any{1}, wire.NewMap("__kwarg__", true, "k", 1)}, "tgt", "*", "tmo", 3, "no_parse", []any{"k"}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		r, err := readRequest(d)
		if err != nil {
			return
		}
		if _, err := r.load("20240101000000000001"); err != nil {
			t.Logf("it cannot be encoded: %v", err)
		}
	})
}
