package topology

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the drawings in testdata anew")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// company is a tree with everything in it.
func company() Node {
	return Node{
		ID: "top", Role: "master", Version: "1.0", State: Up, Since: noon,
		Minions: []Minion{{"top-01", Up, "1.0"}, {"top-02", Unknown, ""}},
		Nodes: []Node{
			{
				ID: "syn-a", Role: "syndic", Version: "1.0", State: Up, Since: noon,
				Minions: []Minion{{"web-01", Up, "1.0"}, {"web-02", Down, "1.0"}, {"web-03", Up, "1.0"}, {"web-04", Up, "1.0"}},
				Nodes: []Node{
					{ID: "syn-deep", Role: "syndic", State: Unknown, Since: noon, Minions: []Minion{{"deep-01", Unknown, ""}}},
				},
			},
			{
				ID: "syn-b", Role: "syndic", Version: "1.0", State: Down, Since: noon,
				Minions: []Minion{{"db-01", Up, "1.0"}, {"db-02", Up, "1.0"}, {"db-03", Down, "1.0"}},
				Nodes:   []Node{{ID: "syn-c", Role: "syndic", Version: "1.0", State: Up, Since: noon, Minions: []Minion{{"c-01", Up, "1.0"}}}},
			},
			{ID: "syn-empty", Role: "syndic", Version: "0.9", State: Up, Since: noon},
		},
	}
}

func TestDraw(t *testing.T) {
	evil := Node{ID: "top\x1b[2J", Role: "master", Version: "1\n2", State: Up, Minions: []Minion{{"m\r1", Up, ""}, {"größe", Up, ""}}}
	for _, c := range []struct {
		name string
		tree Node
		o    DrawOptions
	}{
		{"full", company(), DrawOptions{}},
		{"color", company(), DrawOptions{Color: true}},
		{"few", company(), DrawOptions{MaxMinions: 2}},
		{"one", company(), DrawOptions{MaxMinions: 1}},
		{"alone", Node{ID: "top", Role: "master", State: Up}, DrawOptions{}},
		{"evil", evil, DrawOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			if err := Draw(&b, c.tree, c.o); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "draw_"+c.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("drawn\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// What a node says of itself is on its line, in short.
func TestDrawDegraded(t *testing.T) {
	var b strings.Builder
	n := Node{ID: "top", Role: "master", State: Up, Nodes: []Node{{
		ID: "node-a", Role: "syndic", State: Up, Vitals: Vitals{Accepted: 3, Connected: 2},
		Problems: []Problem{{Kind: Degraded, Detail: "draining: its minions move"}, {Kind: Partition, Detail: "elsewhere: not here"}},
	}}}
	if err := Draw(&b, n, DrawOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := "node-a (syndic) up — draining, 2/3 connected\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("drawn:\n%s", b.String())
	}
}
