package modules

import (
	"testing"

	"github.com/momtree/mom/value"
)

// Salt's functions with **kwargs ignore unknown keywords, which programs that add metadata
// to every call rely on. Keywords that would change the call, or are misspelt, are an
// error.
func TestFreeKeywords(t *testing.T) {
	for _, c := range []struct {
		fun, keyword string
		ok           bool
	}{
		{"cmd.run", "metadata", true},
		{"cmd.run_all", "foo", true},
		{"cmd.retcode", "job_owner", true},
		{"cmd.run", "run_as", false},
		{"cmd.run", "cdw", false},
		{"test.ping", "metadata", false},
		{"sys.list_functions", "metadata", true},
	} {
		fn, found := Lookup(c.fun)
		if !found {
			t.Errorf("%s does not exist", c.fun)
			continue
		}
		args := []any{value.NewMap("__kwarg__", true, c.keyword, "x")}
		if len(fn.Args) > 0 {
			args = append([]any{"true"}, args...)
		}
		_, err := Bind(c.fun, fn, args)
		if (err == nil) != c.ok {
			t.Errorf("%s with %s: %v", c.fun, c.keyword, err)
		}
	}
}
