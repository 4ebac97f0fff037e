package master

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/design/security.md names exactly the tests of attacks.
func TestSecurityPageNamesItsTests(t *testing.T) {
	page, err := os.ReadFile("../docs/design/security.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, dir := range []string{".", "auth", "pillar", "../api", "../minion", "../internal/channel"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(b)
		}
	}
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(code.String(), "func "+m[1]+"(") {
			t.Errorf("%s does not exist", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`func (TestCVE\w+)\(`).FindAllStringSubmatch(code.String(), -1) {
		if !strings.Contains(string(page), "`"+m[1]+"`") {
			t.Errorf("%s is not on the page", m[1])
		}
	}
}
