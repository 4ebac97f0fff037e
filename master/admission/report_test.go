package admission

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/zmtp"
)

// Refusals are logged at once, and then once a minute for each cause, with the count and the option
// to raise.
func TestReport_OncePerMinute(t *testing.T) {
	var b bytes.Buffer
	r := NewReport(slog.New(slog.NewTextHandler(&b, nil)))
	now := time.Unix(1000, 0)
	lines := func() []string {
		r.Flush(now)
		out := strings.Split(strings.TrimSpace(b.String()), "\n")
		b.Reset()
		if out[0] == "" {
			return nil
		}
		return out
	}
	r.ReadSocket("router", zmtp.HostStats{}, "max_connections", now)
	if got := lines(); got != nil {
		t.Fatalf("logged without a refusal: %s", got)
	}
	total := uint64(0)
	for second := range 180 {
		total += 1000
		r.ReadSocket("router", zmtp.HostStats{Evicted: total}, "max_connections", now)
		if second == 0 {
			r.ReadSocket("pub", zmtp.HostStats{RefusedFull: 5}, "max_connections", now)
			continue
		}
		got := lines()
		switch {
		case second == 1 && len(got) != 2:
			t.Fatalf("the first are logged at once: %s", got)
		case second == 1:
			for _, want := range []string{"level=WARN", "count=2000", "max_handshakes", "socket=router", "count=5", "max_connections", "socket=pub"} {
				if !strings.Contains(strings.Join(got, "\n"), want) {
					t.Errorf("%s is not in %s", want, got)
				}
			}
		case second == 61 || second == 121:
			if len(got) != 1 || !strings.Contains(got[0], "count=60000") || !strings.Contains(got[0], "within=59s") {
				t.Errorf("second %d: %s", second, got)
			}
		case got != nil:
			t.Fatalf("second %d: %s", second, got)
		}
		now = now.Add(time.Second)
	}
	if n := r.Counts(); len(n) != 0 {
		t.Errorf("external counters are in Counts: %v", n)
	}
	for i := range 100 {
		r.Note(Cause{Name: "key", Text: "Refused"}, now, fmt.Sprint("m", i%8), "from", "there")
	}
	if got := lines(); len(got) != 1 || !strings.Contains(got[0], "count=100") || !strings.Contains(got[0], `ids="[m0 m1 m2 m3 m4]"`) || r.Counts()["key"] != 100 {
		t.Errorf("%s, %v", got, r.Counts())
	}
}
