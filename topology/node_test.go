package topology

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// overTheWire is a tree after its way to a parent.
func overTheWire(tb testing.TB, n Node) (Node, error) {
	tb.Helper()
	b, err := wire.Encode(n.Map())
	if err != nil {
		tb.Fatal(err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		tb.Fatal(err)
	}
	return FromMap(m)
}

func TestMapRoundTrip(t *testing.T) {
	got, err := overTheWire(t, company())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, company()) {
		t.Errorf("got %+v", got)
	}
	nodes, minions, up := got.Count()
	if nodes != 5 || minions != 11 || up != 4 {
		t.Errorf("%d nodes, %d minions, %d up", nodes, minions, up)
	}
	var paths []string
	got.Walk(func(path string, _ Node) { paths = append(paths, path) })
	if p := strings.Join(paths, " "); p != " syn-a syn-a/syn-deep syn-b syn-b/syn-c syn-empty" {
		t.Errorf("paths %q", p)
	}
}

func tower(tiers int) Node {
	n := Node{ID: "bottom", Role: "syndic", State: Up}
	for range tiers - 1 {
		n = Node{ID: "n", Role: "syndic", State: Up, Nodes: []Node{n}}
	}
	return n
}

func TestDepthLimit(t *testing.T) {
	if _, err := overTheWire(t, tower(16)); err != nil {
		t.Errorf("16 tiers: %v", err)
	}
	if _, err := FromMap(tower(17).Map()); !errors.Is(err, ErrDepth) {
		t.Errorf("17 tiers: %v", err)
	}
}

func TestBadReports(t *testing.T) {
	for says, m := range map[string]*wire.Map{
		"node without id":           wire.NewMap(),
		"node a: minion without id": wire.NewMap("id", "a", "minions", []any{[]any{"", "up", ""}}),
		"minion is not [id, state,": wire.NewMap("id", "a", "minions", []any{"web-1"}),
		"child is not a map":        wire.NewMap("id", "a", "nodes", []any{"b"}),
	} {
		if _, err := FromMap(m); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	n, err := FromMap(wire.NewMap("id", "a", "state", "sleeping", "since", "soon", "minions", []any{[]any{"w", "red", int64(3)}}))
	if err != nil || n.State != Unknown || n.Minions[0] != (Minion{"w", Unknown, ""}) || !n.Since.IsZero() {
		t.Errorf("%+v, %v", n, err)
	}
}

func FuzzFromMap(f *testing.F) {
	for _, n := range []Node{company(), tower(16), {ID: "x"}} {
		b, err := wire.Encode(n.Map())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("\x82\xa2id\xa1a\xa7minions\x91\x93\xa1w\xa2up\xc0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		n, err := FromMap(m)
		if err != nil {
			return
		}
		var s strings.Builder
		if err := Draw(&s, n, DrawOptions{MaxMinions: 3}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(s.String(), "\x1b\r\x00") {
			t.Errorf("control characters in %q", s.String())
		}
		_ = Problems(n)
		again, err := overTheWire(t, n)
		if err != nil {
			t.Fatalf("its own report is refused: %v", err)
		}
		if !again.equal(n) {
			t.Errorf("%+v became %+v", n, again)
		}
	})
}

// equal reports whether two subtrees are the same, except for their figures.
func (n Node) equal(o Node) bool {
	return n.sameHead(o) && slices.Equal(n.Minions, o.Minions) && slices.EqualFunc(n.Nodes, o.Nodes, Node.equal)
}

// A minion of two nodes is one, and up if it is at one of them; behind a node that is down
// nobody is known to be up.
func TestCountOfMinionsAtSeveralNodes(t *testing.T) {
	two := func(a, b, c State) Node {
		return Node{ID: "top", State: Up, Minions: []Minion{{ID: "own", State: Up}}, Nodes: []Node{
			{ID: "a", State: a, Minions: []Minion{{ID: "dual", State: b}, {ID: "m", State: Up}}},
			{ID: "b", State: Up, Minions: []Minion{{ID: "dual", State: c}}},
		}}
	}
	for _, c := range []struct {
		n           Node
		up, unknown int
	}{
		{two(Up, Up, Up), 3, 0},
		{two(Up, Down, Up), 3, 0},
		{two(Up, Up, Down), 3, 0},
		{two(Up, Down, Down), 2, 0},
		{two(Down, Up, Up), 2, 1},
		{two(Down, Up, Down), 1, 1},
		{Node{ID: "top", State: Up, Minions: []Minion{{ID: "x", State: Up}, {ID: "y", State: Unknown}}}, 1, 1},
	} {
		_, minions, up := c.n.Count()
		states := c.n.MinionStates()
		if want := 3 - max(0, 1-len(c.n.Nodes)); minions != want || up != c.up || states[Unknown] != c.unknown {
			t.Errorf("%+v has %d minions, %d up, %v", c.n, minions, up, states)
		}
	}
}
