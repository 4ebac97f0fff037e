package state

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/modules"
)

// shared are the modules whose functions share arguments (test, queue, merge_lists) that
// are not documented for each of them.
var shared = []string{"defaults", "slsutil", "state"}

// The documentation of each function describes it, names its arguments and has an example.
func TestEveryFunctionIsDocumented(t *testing.T) {
	for _, name := range modules.Functions() {
		fn, _ := modules.Lookup(name)
		module, _, _ := strings.Cut(name, ".")
		if !strings.Contains(fn.Doc, "CLI Example:") || !strings.Contains(fn.Doc, " "+module+".") {
			t.Errorf("%s: no example of a call in %q", name, fn.Doc)
		}
		for _, a := range fn.Args {
			if !slices.Contains(shared, module) && !regexp.MustCompile(`\b`+a.Name+`\b`).MatchString(fn.Doc) {
				t.Errorf("%s: its argument %s is not documented", name, a.Name)
			}
		}
	}
}
