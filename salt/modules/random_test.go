package modules

import (
	"strings"
	"testing"
)

// The results are those of Salt 3006.27 for the same calls.
func TestRandom(t *testing.T) {
	hundred, many := make([]any, 100), make([]any, 300)
	for i := range many {
		many[i] = int64(i)
		if i < 100 {
			hundred[i] = int64(i)
		}
	}
	ints := func(n ...int64) (out []any) {
		for _, v := range n {
			out = append(out, v)
		}
		return out
	}
	seed := func(v any) any { return kw("seed", v) }
	calls(t, newEnv(), []callCase{
		{"random.rand_int", []any{int64(1), int64(10), "x"}, int64(6)},
		{"random.rand_int", []any{int64(1), int64(10), int64(42)}, int64(2)},
		{"random.rand_int", []any{int64(-5), int64(1000000000000), "é"}, int64(104866353573)},
		{"random.rand_int", []any{int64(1), int64(100), int64(-7)}, int64(42)},
		{"random.rand_int", []any{int64(1), int64(100), int64(0)}, int64(50)},
		{"random.rand_int", []any{int64(1), int64(1099511627776), int64(5)}, int64(561021090886)},
		{"random.rand_int", []any{int64(5), int64(1)}, "ERROR: empty range for randrange() (5, 2, -3)"},
		{"random.seed", nil, int64(5)},
		{"random.seed", []any{int64(1000)}, int64(919)},
		{"random.seed", []any{int64(60), "h"}, int64(16)},
		{"random.seed", []any{int64(60), int64(3)}, int64(15)},
		{"random.sample", []any{[]any{"a", "b", "c", "d"}, int64(2), "5"}, []any{"b", "c"}},
		{"random.sample", []any{hundred, int64(3), "x"}, ints(55, 92, 35)},
		{"random.sample", []any{hundred, int64(7), "x"}, ints(55, 92, 35, 15, 5, 47, 63)},
		{"random.sample", []any{many, int64(7), "é"}, ints(40, 282, 160, 181, 4, 76, 72)},
		{"random.sample", []any{ints(1), int64(2)}, "ERROR: Sample larger than population or is negative"},
		{"random.shuffle", []any{ints(1, 2, 3, 4, 5), seed("11")}, ints(3, 4, 5, 2, 1)},
		{"random.hash", []any{"I am a string", "md5"}, "1710528bf976601a5d203cbc289e1a76"},
		{"random.hash", []any{"é", "sha3_256"}, "9e9bf67e95b10ed4ce3fa9481ac0158a0e71ad67bf7904855258f161fb9dd648"},
		{"random.hash", []any{"x", "nope"}, "ERROR: You must specify a valid algorithm."},
		{"random.str_encode", []any{"I am a new string"}, "SSBhbSBhIG5ldyBzdHJpbmc="},
		{"random.get_str", []any{int64(0)}, ""},
		{"random.get_str", []any{int64(5), "a"}, "aaaaa"},
	})
	got := PyStr(run(t, newEnv(), "random.get_str", int64(200), kw("punctuation", false)).Value)
	if len(got) != 200 || strings.Trim(got, lowerLetters+upperLetters+decimals) != "" {
		t.Errorf("%q", got)
	}
}
