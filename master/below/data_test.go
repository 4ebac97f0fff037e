package below

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// source is a node that returns its minions in pages.
type source []string

func (s source) page(after string, n int) (p dataPage) {
	for _, id := range s {
		if id <= after {
			continue
		}
		if len(p.entries) == n {
			p.more = true
			break
		}
		p.entries, p.end = append(p.entries, entry{id: id, data: wire.Raw{0x80}}), id
	}
	return p
}

// Each minion is in the whole answer once and in order, for any page sizes.
func TestMerged(t *testing.T) {
	for _, sizes := range [][]int{{1, 1, 1}, {1, 3, 2}, {9, 1, 9}, {9, 9, 9}} {
		nodes := []source{{"b", "d", "f", "z"}, {"a", "c"}, {"b", "c", "e", "y"}}
		var got []string
		after := ""
		for rounds := 0; ; rounds++ {
			var pages []dataPage
			for i, n := range nodes {
				pages = append(pages, n.page(after, sizes[i]))
			}
			p := merged(pages)
			for _, e := range p.entries {
				got = append(got, e.id)
			}
			if !p.more {
				break
			}
			if p.end <= after || rounds > 20 {
				t.Fatalf("%v: it does not go on behind %q", sizes, after)
			}
			after = p.end
		}
		if text := strings.Join(got, ""); text != "abcdefyz" {
			t.Errorf("%v: %s", sizes, text)
		}
	}
}

// A page over the limit is cut and says where. One minion always fits.
func TestMerged_Large(t *testing.T) {
	big := make(wire.Raw, dataBytes/2+1)
	p := merged([]dataPage{{entries: []entry{{id: "a", data: big}, {id: "b", data: big}}}, {entries: []entry{{id: "c", data: make(wire.Raw, 2*dataBytes)}}}})
	if len(p.entries) != 1 || !p.more || p.end != "a" {
		t.Errorf("%d entries, more %v behind %q", len(p.entries), p.more, p.end)
	}
	p = merged([]dataPage{{entries: []entry{{id: "c", data: make(wire.Raw, 2*dataBytes)}}}})
	if len(p.entries) != 1 || p.more {
		t.Errorf("%d entries, more %v", len(p.entries), p.more)
	}
}

// The nearest master's data wins.
func TestMerged_Nearest(t *testing.T) {
	p := merged([]dataPage{{entries: []entry{{id: "a", data: wire.Raw{1}}}}, {entries: []entry{{id: "a", data: wire.Raw{2}}}}})
	if len(p.entries) != 1 || p.entries[0].data[0] != 1 {
		t.Errorf("%v", p.entries)
	}
}

func TestDataPage_Travels(t *testing.T) {
	p := dataPage{entries: []entry{{id: "a", data: wire.Raw{0x80}}, {id: "b", data: wire.Raw{0xc0}}}, more: true, end: "b", away: map[string]string{"n/m": "it is gone"}}
	b, err := wire.Encode(p.load())
	if err != nil {
		t.Fatal(err)
	}
	q, err := readDataPage(b)
	if err != nil || fmt.Sprint(q) != fmt.Sprint(p) {
		t.Errorf("%v, %v, want %v", q, err, p)
	}
	asked := DataQuestion{Tgt: []any{"a"}, TgtType: "list", Grains: true, Clear: true, after: "x"}
	if b, err = wire.Encode(asked.load()); err != nil {
		t.Fatal(err)
	}
	if read, err := readData(b); err != nil || fmt.Sprint(read) != fmt.Sprint(asked) {
		t.Errorf("%v, %v, want %v", read, err, asked)
	}
}

// Any answer of a node is a page or an error.
func FuzzReadDataPage(f *testing.F) {
	for _, v := range []any{nil, wire.NewMap(), wire.NewMap("minions", 3), wire.NewMap("minions", wire.NewMap("b", 1, "a", 2), "more", true, "end", "b", "away", wire.NewMap("n", "no"))} {
		b, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = readData(b)
		p, err := readDataPage(b)
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(p.entries, func(a, b entry) int { return strings.Compare(a.id, b.id) }) {
			t.Errorf("not sorted: %v", p.entries)
		}
		if m := merged([]dataPage{p, p}); len(m.entries) > len(p.entries) {
			t.Errorf("%d of %d", len(m.entries), len(p.entries))
		}
	})
}
