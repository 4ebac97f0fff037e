package binders

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

const recording = "testdata/stock.jsonl"

// reading is one list and what Salt's minion makes of it: by signature [arguments,
// keywords], or the name of an error.
type reading struct {
	list []any
	read *value.Map
}

func readings(t *testing.T) (out []reading) {
	t.Helper()
	f, err := os.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		raw, err := wire.FromJSON(s.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		m, err := wire.DecodeMap(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reading{m.List("list"), m.Map("read")})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.ToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shown is a reading as text, keywords sorted.
func shown(t *testing.T, args []any, kwargs *value.Map) string {
	t.Helper()
	var kw []string
	kwargs.Range(func(k, v any) bool {
		if k != "__kwarg__" {
			kw = append(kw, string(jsonOf(t, []any{k, v})))
		}
		return true
	})
	slices.Sort(kw)
	if args == nil {
		args = []any{}
	}
	return string(jsonOf(t, args)) + " " + strings.Join(kw, " ")
}

// judged is how rules read a list; ok is false if they refuse it.
func judged(t *testing.T, list []any) (c access.Call, ok bool) {
	t.Helper()
	fun, err := wire.Encode("m.f")
	if err != nil {
		t.Fatal(err)
	}
	arg, err := wire.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := access.Calls(wire.PublishLoad{Fun: fun, Arg: arg})
	if err != nil {
		t.Fatal(err)
	}
	return calls[0], calls[0].Fault() == nil
}

// A list that rules with args or kwargs judge is read by Salt's minion as by the rules.
func TestStockReadsAsJudged(t *testing.T) {
	all := readings(t)
	if len(all) != recorded {
		t.Fatalf("%d lists are recorded", len(all))
	}
	clear, differ := 0, 0
	for _, r := range all {
		c, ok := judged(t, r.list)
		want := shown(t, c.Args, c.Kwargs)
		for name := range signatures {
			v, _ := r.read.Get(name)
			pair, bound := v.([]any)
			if !bound {
				continue // an error: nothing runs
			}
			kwargs, _ := pair[1].(*value.Map)
			args, _ := pair[0].([]any)
			switch got := shown(t, args, kwargs); {
			case ok && got != want:
				t.Errorf("%s: %s is judged as %s, run as %s", name, jsonOf(t, r.list), want, got)
			case ok:
				clear++
			case got != want:
				differ++
			}
		}
	}
	if clear < recorded/2 || differ < recorded/4 {
		t.Errorf("%d readings are judged, %d of the refused ones differ: the lists show too little", clear, differ)
	}
}

// Our minion binds such a list to the parameters that the rules' reading means.
func TestOursBindsAsJudged(t *testing.T) {
	ran, refused := 0, 0
	for _, list := range lists() {
		c, ok := judged(t, list)
		for name, fn := range signatures {
			got, err := modules.Bind("m."+name, fn, list)
			if !ok || err != nil {
				refused++
				continue
			}
			ran++
			args, kwargs := got.Args, got.Kwargs.Clone()
			named := min(len(fn.Args), len(c.Args))
			for i, a := range fn.Args {
				if v, ok := c.Kwargs.Get(a.Name); ok && i >= len(c.Args) {
					kwargs.Set(a.Name, got.Args[i])
					if same := shown(t, []any{v}, nil) == shown(t, []any{got.Args[i]}, nil); !same {
						t.Errorf("%s: %s: %s is %v", name, jsonOf(t, list), a.Name, got.Args[i])
					}
				}
			}
			positional := append(slices.Clone(args[:named]), args[len(fn.Args):]...)
			if have, want := shown(t, positional, kwargs), shown(t, c.Args, c.Kwargs); have != want {
				t.Errorf("%s: %s is judged as %s, run as %s", name, jsonOf(t, list), want, have)
			}
		}
	}
	if ran < recorded/2 || refused < recorded/4 {
		t.Errorf("%d lists ran, %d were refused: the lists show too little", ran, refused)
	}
}
