package bus

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// missing returns the event of a job with n missing minions.
func missing(tb testing.TB, n int) wire.Raw {
	tb.Helper()
	m := wire.NewMap()
	for i := range n {
		m.Set(fmt.Sprintf("minion-%06d.example.org", i), wire.NewMap("reason", "Not connected", "path", ""))
	}
	b, err := wire.Encode(wire.NewMap("jid", "20260101000000000001", "expected", n, "missing", m, "text", "short",
		"reasons", wire.NewMap("Not connected", n, "No response", 0)))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// A map of very many small values is replaced as a whole, fast enough that a job of 100,000
// minions ends at once, and smaller values stay. A map that fits in the end is trimmed inside.
func TestTrim_ManySmallValues(t *testing.T) {
	out, err := trim(missing(t, 100_000), DefaultMaxEventSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.DecodeMap(out)
	if err != nil || d.String("missing") != trimmed || d.Int("expected") != 100_000 || d.String("text") != "short" || d.String("jid") == trimmed || d.Map("reasons").Int("Not connected") != 100_000 {
		t.Errorf("%v: %.200q", err, out)
	}
	big, err := wire.Encode(wire.NewMap("a", wire.NewMap("b", string(make([]byte, 2000)), "c", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if out, err = trim(big, 1000, 0); err != nil {
		t.Fatal(err)
	}
	if d, err = wire.DecodeMap(out); err != nil || d.Map("a").String("b") != trimmed || d.Map("a").Int("c") != 1 {
		t.Errorf("%v: %q", err, out)
	}
}

func BenchmarkTrim_100kMissing(b *testing.B) {
	data := missing(b, 100_000)
	for b.Loop() {
		if _, err := trim(data, DefaultMaxEventSize, 0); err != nil {
			b.Fatal(err)
		}
	}
}
