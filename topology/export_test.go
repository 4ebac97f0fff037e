package topology

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hostile is a tree whose names try to steer terminals, Graphviz, Mermaid and
// Markdown, with all states in it.
func hostile() Node {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return Node{
		ID: "top", Role: "master", Version: "1.0", State: Up, Since: at,
		Vitals: Vitals{
			Addr: "10.0.0.1:4506", Started: at, Accepted: 5, Connected: 3, Working: 2, Jobs: 1, Pending: 120,
			PendingAge: 95 * time.Second, Load: 0.5, Memory: 1 << 20,
		},
		Minions: []Minion{{"web\"];x[\"", Up, "1.0"}, {"esc\x1b[31m", Down, ""}, {"`md` #35; & <b>|%%", Unknown, ""}},
		Nodes: []Node{
			{
				ID: "syndic-a", Role: "syndic", Version: "1.0", State: Up, Since: at, Vitals: Vitals{Lag: 12 * time.Millisecond, Skew: -3 * time.Second},
				Minions: []Minion{{"db-01", Up, ""}, {"db-02", Up, ""}, {"db-03", Up, ""}, {"back\\slash", Down, ""}},
				Nodes:   []Node{{ID: "deep", Role: "syndic", State: Up, Since: at, Minions: []Minion{{"leaf", Up, ""}}}},
			},
			{ID: "syndic-b", Role: "syndic", State: Down, Since: at, Minions: []Minion{{"lost", Up, ""}}},
		},
	}
}

func TestExport(t *testing.T) {
	for name, c := range map[string]struct {
		f Format
		o DrawOptions
	}{
		"text":          {Text, DrawOptions{}},
		"text-short":    {Text, DrawOptions{MaxMinions: 1, Depth: 2}},
		"json":          {JSON, DrawOptions{}},
		"json-depth":    {JSON, DrawOptions{Depth: 1}},
		"dot":           {Dot, DrawOptions{}},
		"mermaid":       {Mermaid, DrawOptions{}},
		"mermaid-short": {Mermaid, DrawOptions{MaxMinions: 1, Depth: 1}},
		"dot-short":     {Dot, DrawOptions{MaxMinions: 1, Depth: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Export(&b, hostile(), c.f, c.o); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "export-"+name+".golden")
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Error(d)
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Error("a name reaches the output as it is")
			}
		})
	}
	if err := Export(&bytes.Buffer{}, Node{}, "xml", DrawOptions{}); err == nil {
		t.Error("an unknown format is not refused")
	}
}

func TestSpan(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "1µs": 5, "340ms": 340 * time.Millisecond, "1.5s": 1500 * time.Millisecond, "95s": 95 * time.Second,
		"5m": 5 * time.Minute, "3h": 3 * time.Hour, "2d": 50 * time.Hour, "-2.0s": -2 * time.Second,
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%d) = %q, want %q", d, got, want)
		}
	}
	if got := Span(math.MinInt64); got != "-106751d" { // a figure that a report may hold
		t.Errorf("the least duration is %s", got)
	}
	if Signed(time.Minute) != "+60s" || Signed(-time.Minute) != "-60s" {
		t.Error("Signed")
	}
}
