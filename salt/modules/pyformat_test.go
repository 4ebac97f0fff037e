package modules

import "testing"

func TestPyRepr(t *testing.T) {
	if got := PyRepr("\xff"); got != `'\udcff'` {
		t.Errorf("PyRepr of a file's name = %s", got)
	}
	if got := PyStr([]any{"it's"}); got != `["it's"]` {
		t.Errorf("PyStr of a list = %s", got)
	}
	for want, vs := range map[string][]any{"()": nil, "('a',)": {"a"}, "('a', 1)": {"a", int64(1)}} {
		if got := pyTuple(vs); got != want {
			t.Errorf("tuple = %s, want %s", got, want)
		}
	}
}
