package binders

import (
	"math/rand/v2"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// recorded is how many lists are drawn, seed what they are drawn by.
const (
	recorded = 2500
	seed     = 27
)

// signatures are the functions that are called; testdata/binder.py has the same.
var signatures = map[string]modules.Function{
	"fixed": {Name: "fixed", Args: []modules.Arg{{Name: "a"}, {Name: "b"}, {Name: "c"}}},
	"rest":  {Name: "rest", Args: []modules.Arg{{Name: "a"}}, VarArgs: true},
	"free":  {Name: "free", Args: []modules.Arg{{Name: "a"}, {Name: "b"}}, VarKw: true},
	"any":   {Name: "any", VarArgs: true, VarKw: true},
}

var texts = []string{
	"id", "uptime; id", "a=1", "b=2", "c=x y", "echo=1", "A=1 env", "b=[1, 2]", "a==1", "=1", "a=", "a=\n", "a=x\n", "a=\nx", "a=x\ny", "", "_=1",
	"a.b-c=2", "ä=1", "²=1", "1a=2", " a=1", "a =1", "a=b=c", "__kwarg__=True", "__pub_user=root", "a='1", "b={x: 1}", "runas=root", "test=True", "a\n=1",
	"日=1", "a²=1", "①=1", "-a=1", "a\u0301=1", "Ⅷ=1",
}

var names = []string{"a", "b", "c", "runas", "test", "x y", "", "__pub_user", "__id__"}

// draw makes one argument list.
func draw(r *rand.Rand) []any {
	out := []any{}
	for range r.IntN(5) {
		out = append(out, entry(r, 2))
	}
	if r.IntN(2) == 0 {
		out = append(out, keywords(r, true))
	}
	return out
}

func entry(r *rand.Rand, depth int) any {
	switch n := r.IntN(20); {
	case n < 9:
		return texts[r.IntN(len(texts))]
	case n < 13 || depth == 0:
		return []any{nil, true, false, int64(0), int64(1), int64(-7), 1.5}[r.IntN(7)]
	case n < 15:
		return []any{entry(r, depth-1), entry(r, depth-1)}
	case n < 16:
		return value.NewMap(names[r.IntN(len(names))], entry(r, depth-1))
	}
	mark := []any{true, true, false, int64(1), "True", nil}[r.IntN(6)]
	return keywords(r, mark)
}

func keywords(r *rand.Rand, mark any) *value.Map {
	m := value.NewMap("__kwarg__", mark)
	for range r.IntN(3) {
		m.Set(names[r.IntN(len(names))], entry(r, 1))
	}
	return m
}

// lists are those that are recorded.
func lists() [][]any {
	r := rand.New(rand.NewPCG(seed, seed))
	out := make([][]any, recorded)
	for i := range out {
		out[i] = draw(r)
	}
	return out
}
