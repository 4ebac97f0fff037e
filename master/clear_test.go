package master

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A ping is echoed as Salt does it; who asks learns that readers of the bus are
// greeted.
func TestPing(t *testing.T) {
	for _, c := range []struct{ sent, want *wire.Map }{
		{wire.NewMap("cmd", "ping"), wire.NewMap("cmd", "ping")},
		{wire.NewMap("cmd", "ping", "greets", false), wire.NewMap("cmd", "ping", "greets", true)},
	} {
		load, err := wire.Encode(c.sent)
		if err != nil {
			t.Fatal(err)
		}
		want, err := wire.Encode(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := pong(load); string(got) != string(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := pong(wire.Raw("no map")); string(got) != "no map" {
		t.Errorf("got %q", got)
	}
}
