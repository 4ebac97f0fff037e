package events

import (
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

func TestStampedHeads(t *testing.T) {
	for _, n := range []int{0, 14, 15, 16, 65534, 65535} {
		m := wire.NewMap()
		for i := range n {
			m.Set(int64(i), nil)
		}
		raw, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := stamped(bus.Event{Tag: "x", Data: raw})
		if err != nil {
			t.Fatal(err)
		}
		m.Set("_stamp", "0001-01-01T00:00:00")
		want, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != string(want) {
			t.Errorf("%d pairs: head %x, want %x", n, b[:5], want[:5])
		}
	}
	if _, err := stamped(bus.Event{Tag: "x", Data: wire.Raw{0xc1}}); err == nil {
		t.Error("stamped a value that is not a map")
	}
}
