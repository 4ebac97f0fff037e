package jobevent

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestDecodeUnsaved(t *testing.T) {
	pack := func(m *wire.Map) wire.Raw {
		b, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	inner := wire.NewMap("err", "returner mysql: no")
	for _, data := range []*wire.Map{inner, wire.NewMap("id", "m1", "data", inner, "tag", "x")} {
		if u, err := DecodeUnsaved(Prefix+job+"/unsaved/m1", pack(data)); err != nil || u != (Unsaved{job, "m1", "returner mysql: no"}) {
			t.Errorf("%v: %v, %v", data, u, err)
		}
	}
	if u, err := DecodeUnsaved(Prefix+job+"/unsaved/m1", pack(wire.NewMap("err", strings.Repeat("é", 2000)))); err != nil || len(u.Reason) > maxUnsaved+3 {
		t.Errorf("%d bytes, %v", len(u.Reason), err)
	}
	for _, tag := range []string{Prefix + job + "/start/m1", Prefix + job + "/unsaved/", Prefix + job + "/unsaved/m1/x", job, Prefix + job + "/ret/m1", "unsaved/m1"} {
		if u, err := DecodeUnsaved(tag, pack(inner)); err == nil {
			t.Errorf("%s is taken: %v", tag, u)
		}
	}
	if _, err := DecodeUnsaved(Prefix+job+"/unsaved/m1", wire.Raw{0x81}); err == nil {
		t.Error("half a map is taken")
	}
}

func FuzzDecodeUnsaved(f *testing.F) {
	f.Add(Prefix+job+"/unsaved/m1", []byte("\x81\xa3err\xa1x"))
	f.Fuzz(func(t *testing.T, tag string, data []byte) {
		if u, err := DecodeUnsaved(tag, data); err == nil && (u.ID == "" || len(u.Reason) > maxUnsaved+3) {
			t.Errorf("%q: %v", tag, u)
		}
	})
}
