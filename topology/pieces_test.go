package topology

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// randomTree is a node with nodes below it, some of them with more than a piece
// holds.
func randomTree(rnd *rand.Rand, id string, depth int) Node {
	n := Node{ID: id, Role: "syndic", Version: "1", State: Up, Life: "life of " + id, Vitals: Vitals{Jobs: rnd.IntN(9)}}
	for i := range []int{0, 3, 700, 2500, 6000}[rnd.IntN(5)] {
		n.Minions = append(n.Minions, Minion{ID: fmt.Sprintf("%s-%04d", id, i), State: Up, Version: strings.Repeat("v", rnd.IntN(4))})
	}
	if rnd.IntN(4) == 0 {
		n.Minions = append(n.Minions, Minion{ID: id + "-z" + strings.Repeat("long", PieceBytes/8), State: Up})
		n.Minions = append(n.Minions, Minion{ID: id + "-zz" + strings.Repeat("long", PieceBytes/8), State: Up})
	}
	if depth > 0 {
		for i := range rnd.IntN(4) {
			n.Nodes = append(n.Nodes, randomTree(rnd, fmt.Sprint(id, "-", i), depth-1))
		}
	}
	return n
}

// carried takes pieces over the wire.
func carried(tb testing.TB, p Piece) Piece {
	tb.Helper()
	b, err := wire.Encode(p.Map())
	if err != nil {
		tb.Fatal(err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		tb.Fatal(err)
	}
	got, err := PieceFrom(m)
	if err != nil {
		tb.Fatal(err)
	}
	// One entry may be larger, beside the head of its node.
	if many := got.entries() > PieceEntries+2*len(got.Parts); many || len(b) > PieceBytes*5/4 && got.entries() > 2*len(got.Parts)+1 {
		tb.Errorf("a piece of %d entries, %d bytes", got.entries(), len(b))
	}
	return got
}

// A tree reported in pieces, and a large difference reported in pieces, equals one
// reported at once; before the last piece nothing is different.
func TestPiecesEqualTheWhole(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		n := randomTree(rnd, "n", 2)
		parent, whole := NewTree(Node{ID: "top"}, nil), NewTree(Node{ID: "top"}, nil)
		if err := whole.Report(n, 7); err != nil {
			t.Fatal(err)
		}
		pieces := WholeDelta(n, 7).Pieces()
		for i, p := range pieces {
			d, done, err := parent.Gather("n", n.Life, carried(t, p))
			if err != nil || done != (i == len(pieces)-1) {
				t.Fatalf("seed %d, piece %d of %d: %v, %v", seed, i, len(pieces), done, err)
			}
			if parent.Have("n", n.Life) != 0 {
				t.Fatal("a revision is acknowledged before the last piece")
			}
			if !done {
				continue
			}
			got, err := d.Node("n")
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Report(got, d.To); err != nil {
				t.Fatal(err)
			}
		}
		same(t, seed, parent, whole)
		// Everything that a node can report, in one large difference.
		d := Delta{From: 7, To: 9, Parts: []Part{{Vitals: &Vitals{Jobs: 77}, Head: &Node{Role: "syndic", Version: "2", State: Up, Life: n.Life}}}}
		for i := range 5000 {
			d.Parts[0].Gone = append(d.Parts[0].Gone, fmt.Sprintf("n-%04d", i))
			d.Parts[0].Minions = append(d.Parts[0].Minions, Minion{ID: fmt.Sprintf("new-%04d", i), State: Down})
		}
		for _, c := range n.Nodes {
			d.Parts[0].Left = append(d.Parts[0].Left, c.ID)
		}
		d.Parts[0].Nodes = []Node{randomTree(rnd, "other", 1)}
		if err := whole.Apply("n", n.Life, d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Pieces() {
			d, done, err := parent.Gather("n", n.Life, carried(t, p))
			if err != nil {
				t.Fatal(err)
			}
			if done {
				if err := parent.Apply("n", n.Life, d); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, seed, parent, whole)
	}
}

func same(t *testing.T, seed uint64, a, b *Tree) {
	t.Helper()
	x, _ := a.Node("n")
	y, _ := b.Node("n")
	x.Since = y.Since
	if !x.equal(y) || x.Vitals != y.Vitals || a.Have("n", x.Life) != b.Have("n", y.Life) {
		t.Errorf("seed %d: the trees differ", seed)
	}
}

// What does not continue what is there is refused, and nothing of it stays.
func TestGather(t *testing.T) {
	piece := func(from, to uint64, n int, last bool) Piece {
		return Piece{Delta: Delta{From: from, To: to, Parts: []Part{{Minions: []Minion{{ID: fmt.Sprint("m", n), State: Up}}}}}, N: n, Last: last}
	}
	type step struct {
		life string
		p    Piece
		want string // "", done, stale
	}
	for name, steps := range map[string][]step{
		"in order":             {{"x", piece(0, 5, 0, false), ""}, {"x", piece(0, 5, 1, false), ""}, {"x", piece(0, 5, 2, true), "done"}},
		"one alone":            {{"x", piece(0, 5, 0, true), "done"}},
		"without a beginning":  {{"x", piece(0, 5, 1, false), "stale"}},
		"a gap":                {{"x", piece(0, 5, 0, false), ""}, {"x", piece(0, 5, 2, true), "stale"}, {"x", piece(0, 5, 1, false), "stale"}},
		"twice":                {{"x", piece(0, 5, 0, false), ""}, {"x", piece(0, 5, 1, false), ""}, {"x", piece(0, 5, 1, false), "stale"}},
		"begun anew":           {{"x", piece(0, 5, 0, false), ""}, {"x", piece(0, 6, 0, false), ""}, {"x", piece(0, 6, 1, true), "done"}},
		"another report":       {{"x", piece(0, 5, 0, false), ""}, {"x", piece(0, 6, 1, true), "stale"}},
		"another life":         {{"x", piece(0, 5, 0, false), ""}, {"y", piece(0, 5, 1, true), "stale"}},
		"no life":              {{"", piece(0, 5, 0, true), "stale"}},
		"a difference":         {{"x", piece(3, 5, 0, false), ""}, {"x", piece(3, 5, 1, true), "done"}},
		"of what is not known": {{"x", piece(4, 5, 0, false), "stale"}, {"x", piece(4, 5, 1, true), "stale"}},
		"after the last":       {{"x", piece(0, 5, 0, true), "done"}, {"x", piece(0, 5, 1, true), "stale"}},
	} {
		tr := NewTree(Node{ID: "top"}, nil)
		if err := tr.Report(Node{ID: "n", Life: "x"}, 3); err != nil {
			t.Fatal(err)
		}
		for i, s := range steps {
			_, done, err := tr.Gather("n", s.life, s.p)
			got := map[bool]string{true: "done", false: ""}[done]
			if errors.Is(err, ErrStale) {
				got = "stale"
			} else if err != nil {
				got = err.Error()
			}
			if got != s.want {
				t.Errorf("%s, step %d: %q, want %q", name, i, got, s.want)
			}
		}
		if left := len(tr.pieces); left > 0 {
			t.Errorf("%s: %d reports are still open", name, left)
		}
	}
	// A node that goes, or reports at once, leaves nothing behind.
	for name, end := range map[string]func(*Tree){
		"down":    func(tr *Tree) { tr.SetNodeState("n", Down) },
		"removed": func(tr *Tree) { tr.Remove("n") },
		"whole":   func(tr *Tree) { _ = tr.Report(Node{ID: "n", Life: "x"}, 9) },
	} {
		tr := NewTree(Node{ID: "top"}, nil)
		tr.SetNodeState("n", Up)
		if _, _, err := tr.Gather("n", "x", piece(0, 5, 0, false)); err != nil {
			t.Fatal(err)
		}
		if end(tr); len(tr.pieces) != 0 {
			t.Errorf("%s: the pieces are still there", name)
		}
	}
	tr := NewTree(Node{ID: "top"}, nil)
	big := Piece{Delta: Delta{To: 5, Parts: []Part{{Gone: slices.Repeat([]string{"x"}, maxPieceEntries-1)}}}}
	for ; ; big.N++ {
		if _, _, err := tr.Gather("n", "x", big); err != nil {
			break
		}
	}
	if big.N != maxMinions/maxPieceEntries || len(tr.pieces) != 0 {
		t.Errorf("%d pieces of %d entries were taken", big.N, maxPieceEntries)
	}
}

// Until a node that reports in pieces has sent the last, its parent knows nothing of who
// is below it in this life.
func TestExpect(t *testing.T) {
	tr := NewTree(Node{ID: "top"}, nil)
	tr.Expect("n", "x") // not known at all: nothing to forget
	if err := tr.Report(Node{ID: "n", Life: "x", Version: "1"}, 3); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		life  string
		blind bool
	}{{"x", false}, {"y", true}} {
		tr.Expect("n", c.life)
		if n, _ := tr.Node("n"); n.Blind != c.blind {
			t.Errorf("life %s: blind %v", c.life, n.Blind)
		}
	}
	if err := tr.Report(Node{ID: "n", Life: "y", Version: "1"}, 3); err != nil {
		t.Fatal(err)
	}
	if n, _ := tr.Node("n"); n.Blind {
		t.Error("it has sent the last piece, and still counts for nothing")
	}
}

func FuzzPieceFrom(f *testing.F) {
	n := company()
	n.Life = "x"
	for i := range 30 {
		n.Minions = append(n.Minions, Minion{ID: fmt.Sprint("zz", i)})
	}
	for _, d := range []Delta{WholeDelta(n, 5), {From: 3, To: 5, Parts: []Part{{Gone: []string{"a"}, Left: []string{"b"}}}}} {
		for _, p := range d.Pieces() {
			b, err := wire.Encode(p.Map())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		p, err := PieceFrom(m)
		if err != nil {
			return
		}
		if p.entries() > maxPieceEntries {
			t.Errorf("%d entries were taken", p.entries())
		}
		again := fuzzAgain(t, p)
		if again.entries() != p.entries() || again.N != p.N || again.Last != p.Last || again.From != p.From || again.To != p.To {
			t.Errorf("%+v became %+v", p, again)
		}
		tr := NewTree(Node{ID: "top"}, nil)
		n := company()
		n.ID, n.Life = "low", "x"
		if err := tr.Report(n, p.From); err != nil {
			t.Fatal(err)
		}
		p.N, p.Last = 0, true
		d, done, err := tr.Gather("low", "x", p)
		if err != nil || !done {
			t.Fatalf("a report of one piece: %v, %v", done, err)
		}
		if d.From == 0 {
			if n, err := d.Node("low"); err == nil {
				_ = Problems(n)
			}
			return
		}
		if err := tr.Apply("low", "x", d); err == nil && tr.Have("low", "x") != d.To {
			t.Errorf("applied, but the revision is %d", tr.Have("low", "x"))
		}
	})
}

func fuzzAgain(t *testing.T, p Piece) Piece {
	b, err := wire.Encode(p.Map())
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := PieceFrom(m)
	if err != nil {
		t.Fatalf("its own piece is refused: %v", err)
	}
	return again
}
