package trace

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

var update = flag.Bool("update", false, "write the drawings in testdata anew")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// a job that hangs at one of two branches.
func hanging() Step {
	return Step{
		Node: "top", State: Open, Fun: "state.apply", Moments: Moments{Received: noon, Published: after(1), First: after(40)},
		Expected: 4, Returned: 1, Failed: 1, MissingAll: 1, WaitingAll: 1, Stored: 2,
		Missing: []Named{{"web-2", "Not connected", "syn-a"}}, Waiting: []Named{{"web-3", "", "syn-a/low"}},
		Pending: map[string]int64{"mysql": 2, "gone": 0},
		Nodes: []Step{
			{Node: "py", State: Unreachable, Error: "the node is a Python syndic, which cannot be asked", Pending: map[string]int64{}},
			{
				Node: "syn-a", State: Closed, Fun: "state.apply",
				Moments:  Moments{Received: after(3), Published: after(4), First: after(30), Last: after(31), Closed: after(32)},
				Expected: 3, Returned: 1, Failed: 1, MissingAll: 1, Stored: 2, Pending: map[string]int64{"parent:above": 1},
				Missing: []Named{{"web-2", "Not connected", ""}},
				Nodes: []Step{{
					Node: "low", State: Open, Moments: Moments{Received: after(5)}, Expected: 1, WaitingAll: 1,
					Waiting: []Named{{"web-3", "", ""}}, Pending: map[string]int64{},
				}},
			},
		},
	}
}

func TestStepTravels(t *testing.T) {
	want := hanging()
	b, err := wire.Encode(want.Map())
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FromMap(m)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v\nwant\n%+v", got, want)
	}
}

func TestDraw(t *testing.T) {
	many := Step{Node: "top\x1b[2J", State: Open, WaitingAll: 5000}
	for i := range Names {
		many.Waiting = append(many.Waiting, Named{ID: "m" + strconv.Itoa(i)})
	}
	for name, s := range map[string]Step{"hanging": hanging(), "many": many, "unknown": {Node: "top", State: Unknown}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Draw(&b, "20260301120000000000", s); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "draw_"+name+".txt")
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("drawn\n%s\nwant\n%s", &b, want)
			}
		})
	}
}

func TestBadTrace(t *testing.T) {
	deep := wire.NewMap("node", "x")
	for range 2 * maxDepth {
		deep = wire.NewMap("node", "x", "nodes", []any{deep})
	}
	if _, err := FromMap(deep); !errors.Is(err, errDepth) {
		t.Errorf("a deep trace: %v", err)
	}
	for _, m := range []*wire.Map{wire.NewMap(), wire.NewMap("node", "a", "nodes", []any{1})} {
		if _, err := FromMap(m); err == nil || !strings.Contains(err.Error(), "node") {
			t.Errorf("%v: %v", m, err)
		}
	}
}

func FuzzFromMap(f *testing.F) {
	b, err := wire.Encode(hanging().Map())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(b))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		s, err := FromMap(m)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Draw(&out, "1", s); err != nil || strings.ContainsAny(out.String(), "\x1b\x00\r") {
			t.Errorf("%v, drawn %q", err, out.String())
		}
	})
}
