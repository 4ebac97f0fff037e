package modules

import (
	"regexp"
	"strings"
	"testing"
)

// Each function says what it does, names its arguments and shows a call.
func TestEveryFunctionIsDocumented(t *testing.T) {
	for _, name := range Functions() {
		fn, _ := Lookup(name)
		module, _, _ := strings.Cut(name, ".")
		if !strings.Contains(fn.Doc, "CLI Example:") || !strings.Contains(fn.Doc, " "+module+".") {
			t.Errorf("%s: no example of a call in %q", name, fn.Doc)
		}
		for _, a := range fn.Args {
			if !regexp.MustCompile(`\b` + a.Name + `\b`).MatchString(fn.Doc) {
				t.Errorf("%s: its argument %s is not documented", name, a.Name)
			}
		}
	}
}
