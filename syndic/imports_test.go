package syndic

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// Imports of the syndic run one way: forwarding stands alone, standalone stands on package
// syndic, which knows nothing of it; none of them stands on the master or the minion.
func TestImports_NoArrowUp(t *testing.T) {
	allowed := map[string]string{".": "syndic/forwarding", "forwarding": "", "standalone": "syndic"}
	used := map[string]bool{}
	importtest.Each(t, ".", func(file, path string) {
		pkg := filepath.Dir(file)
		may, known := allowed[pkg]
		first, _, _ := strings.Cut(path, "/")
		switch {
		case !known:
			t.Errorf("%s is in no package that is named here", file)
		case path == may:
			used[pkg] = true
		case first == "syndic", first == "master", first == "minion", first == "mom", first == "api":
			t.Errorf("%s imports %s", file, path)
		}
	})
	for pkg, may := range allowed {
		if may != "" && !used[pkg] {
			t.Errorf("%s does not import %s any more", pkg, may)
		}
	}
}
