package release

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The linker ignores -X of a variable that does not exist.
func TestStampedVariableExists(t *testing.T) {
	if !regexp.MustCompile(`(?m)^var stamped string$`).MatchString(read(t, "../../mom/version.go")) {
		t.Error("mom/version.go has no variable stamped")
	}
	for _, name := range []string{"build.sh", "../../Makefile"} {
		if !strings.Contains(read(t, name), "-X main.stamped=$") {
			t.Errorf("%s does not stamp the version", name)
		}
	}
}

// Unreleased comes first, and each release has a date and comes once.
func TestChangelogSections(t *testing.T) {
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(read(t, "../../CHANGELOG.md"), -1) {
		sections = append(sections, m[1])
	}
	if len(sections) < 2 || sections[0] != "Unreleased" {
		t.Fatalf("sections %q, want Unreleased and a release", sections)
	}
	form := regexp.MustCompile(`^(\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$`)
	seen := map[string]bool{}
	for _, s := range sections[1:] {
		m := form.FindStringSubmatch(s)
		if m == nil || seen[m[1]] {
			t.Errorf("section %q, want a version and a date, each version once", s)
			continue
		}
		seen[m[1]] = true
	}
}
