package pillar

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A request needs only grains; fields of the wrong type are ignored.
func TestReadRequest(t *testing.T) {
	r, ok := ReadRequest("m1", wire.NewMap("grains", wire.NewMap("os", "Debian"), "saltenv", "prod", "pillarenv", "dev", "clean_cache", true,
		"pillar_override", wire.NewMap("a", 1), "ext", "x"))
	if !ok || r.ID != "m1" || r.Grains.String("os") != "Debian" || r.Saltenv != "prod" || r.Pillarenv != "dev" || !r.Fresh || r.Override.Int("a") != 1 || r.Ext != "x" {
		t.Errorf("%+v, %v", r, ok)
	}
	r, ok = ReadRequest("m1", wire.NewMap("grains", wire.NewMap(), "saltenv", 7, "pillar_override", "x", "ext", false, "clean_cache", "yes"))
	if !ok || r.Saltenv != "" || r.Override != nil || r.Ext != nil {
		t.Errorf("%+v, %v", r, ok)
	}
	for _, d := range []*wire.Map{wire.NewMap(), wire.NewMap("grains", nil), wire.NewMap("grains", []any{1}), wire.NewMap("grains", "os")} {
		if r, ok := ReadRequest("m1", d); ok {
			t.Errorf("%v is read as %+v", d.Keys(), r)
		}
	}
}

// Any request is decoded or refused; a decoded one has its grains.
func FuzzReadRequest(f *testing.F) {
	for _, m := range []*wire.Map{
		wire.NewMap("grains", wire.NewMap("os", "Debian"), "pillar_override", wire.NewMap("a", []any{1}), "ext", "x"),
		wire.NewMap("grains", nil, "saltenv", []any{}),
	} {
		seed, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		r, ok := ReadRequest("m1", d)
		if ok && r.Grains == nil {
			t.Error("a request without grains is taken")
		}
		if r.ID != "m1" {
			t.Errorf("it is for %q", r.ID)
		}
	})
}
