package treewatch

import (
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func up(id string, below ...topology.Node) topology.Node {
	return topology.Node{ID: id, State: topology.Up, Nodes: below}
}

func TestMoves(t *testing.T) {
	c := newChanges()
	gone := up("x")
	gone.State = topology.Down
	for i, s := range []struct {
		n    topology.Node
		want string
	}{
		{up("top", up("a", up("x")), up("b")), "[]"},
		{up("top", up("a"), up("b", up("x"))), "[{x a/x b/x}]"},
		{up("top", up("a"), up("b", up("y", up("x")))), "[]"}, // reported by b
		{up("top", up("a"), up("b", gone)), "[]"},
		{up("top", up("a", up("x")), up("b", up("x"))), "[{x b/y/x a/x}]"}, // y is gone, and x is in two places
		{up("top", up("a", up("x")), up("b", up("x"))), "[]"},
	} {
		if got := fmt.Sprint(c.moves(s.n)); got != s.want {
			t.Errorf("look %d: %s, want %s", i+1, got, s.want)
		}
	}
}

func TestFresh(t *testing.T) {
	c := newChanges()
	lag := topology.Problem{Kind: topology.Backlog, Path: "top/a"}
	down := topology.Problem{Kind: topology.NodeDown, Path: "top/a"}
	for i, s := range []struct {
		ps   []topology.Problem
		want int
	}{
		{[]topology.Problem{lag, down, lag}, 1},
		{[]topology.Problem{lag}, 0},
		{nil, 0},
		{[]topology.Problem{lag}, 1},
	} {
		if got := c.fresh(s.ps, true); len(got) != s.want {
			t.Errorf("look %d: %v", i+1, got)
		}
	}
}

// Paths grow on the way up; unreadable data stays unchanged.
func TestFromBelow(t *testing.T) {
	raw, err := wire.Encode(Event(time.Unix(0, 0), "x", "b/x", "from", "a/x", "to", ""))
	if err != nil {
		t.Fatal(err)
	}
	d, err := wire.DecodeMap(FromBelow("n", raw))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"id": "x", "path": "n/b/x", "from": "n/a/x", "to": "n", "time": "1970-01-01T00:00:00Z"} {
		if got := d.String(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := FromBelow("n", wire.Raw{0xc1}); string(got) != "\xc1" {
		t.Errorf("unreadable data became %x", got)
	}
}

func FuzzFromBelow(f *testing.F) {
	f.Add([]byte{0x81, 0xa4, 'p', 'a', 't', 'h', 0xa1, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		out := FromBelow("n", b)
		if _, err := wire.DecodeMap(b); err != nil && string(out) != string(b) {
			t.Errorf("unreadable data was changed")
		}
	})
}
