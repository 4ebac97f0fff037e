package admission

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/network"
)

// A full table of connections delays jobs for thousands of minions by seconds, and only the kernel's
// log would show why.
func TestReport_ConnectionTable(t *testing.T) {
	var b bytes.Buffer
	r := NewReport(slog.New(slog.NewTextHandler(&b, nil)))
	now := time.Unix(1000, 0)
	read := func(t network.Conntrack) string {
		r.ReadTable(t, now)
		r.Flush(now)
		now = now.Add(time.Second)
		defer b.Reset()
		return b.String()
	}
	if got := read(network.Conntrack{Used: 100, Max: 1000, Dropped: 7}); got != "" {
		t.Errorf("drops before the first call are logged: %s", got)
	}
	if got := read(network.Conntrack{Used: 899, Max: 1000, Dropped: 7}); got != "" {
		t.Errorf("logged while there is room: %s", got)
	}
	got := read(network.Conntrack{Used: 950, Max: 1000, Dropped: 7})
	for _, want := range []string{"level=WARN", "nearly full", "used=950", "max=1000", "nf_conntrack_max"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	got = read(network.Conntrack{Used: 1000, Max: 1000, Dropped: 27})
	for _, want := range []string{"level=WARN", "drops packets", "count=20", "nf_conntrack_max"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}
