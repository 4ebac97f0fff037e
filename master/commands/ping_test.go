package commands

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// A ping is echoed as in Salt, or reports that the event bus greets its readers. Oversized pings
// are not decoded.
func TestPing(t *testing.T) {
	for _, c := range []struct{ sent, want any }{
		{wire.NewMap("cmd", "ping"), wire.NewMap("cmd", "ping")},
		{wire.NewMap("cmd", "ping", "greets", false), wire.NewMap("cmd", "ping", "greets", true)},
		{"no map", "no map"},
		{strings.Repeat("x", maxPing), server.BadLoad},
	} {
		load, err := wire.Encode(c.sent)
		if err != nil {
			t.Fatal(err)
		}
		want, err := wire.Encode(c.want)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ping(t.Context(), &server.Request{Load: load})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wire.Encode(v); err != nil || string(got) != string(want) {
			t.Errorf("got %q, want %q, %v", got, want, err)
		}
	}
}
