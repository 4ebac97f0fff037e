package versions

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

// Salt is the release of Salt whose behaviour, protocols and command lines this program
// implements. test.version and the grain saltversion return it, so that comparisons (in
// targets, formulas, manage.versions) work as with Salt.
const Salt = "3007.9"

// Protocols are the versions of the request protocol of masters and minions (protocol.md,
// "Envelope"), and of ZMTP below it.
const (
	Requests = "2, 3"
	ZMTP     = "3.0, 3.1"
)

// Line is a name and its version.
type Line struct{ Name, Version string }

// Section is a group of lines with a heading.
type Section struct {
	Title string
	Lines []Line
}

// Program returns the report of this program; mom is its own version.
func Program(mom string) []Section {
	return []Section{
		{"Salt Version", []Line{{"Salt", Salt}, {"mom", mom}}},
		{"Protocol Versions", []Line{{"requests", Requests}, {"ZMTP", ZMTP}}},
		{"Dependency Versions", Libraries()},
		{"System Versions", system()},
	}
}

// Libraries returns the versions of Go and of the modules in this program, by name.
func Libraries() []Line {
	out := []Line{{"Go", strings.TrimPrefix(runtime.Version(), "go")}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	deps := slices.Clone(info.Deps)
	slices.SortFunc(deps, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	for _, d := range deps {
		out = append(out, Line{d.Path, d.Version})
	}
	return out
}

func system() []Line {
	out := []Line{{"machine", runtime.GOARCH}, {"system", runtime.GOOS}}
	if u, ok := posix.Uname(); ok {
		out = []Line{{"machine", u.Machine}, {"release", u.Release}, {"system", u.System}}
	}
	if b, err := os.ReadFile("/etc/os-release"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
				out = append(out, Line{"version", strings.Trim(name, `"'`)})
			}
		}
	}
	return out
}

// Text formats a report like Salt: all names right-aligned in one column, a blank line between
// two sections.
func Text(report []Section) string {
	width := 0
	for _, s := range report {
		for _, l := range s.Lines {
			width = max(width, len(l.Name)+2)
		}
	}
	var b strings.Builder
	for i, s := range report {
		if i > 0 {
			b.WriteString(" \n")
		}
		fmt.Fprintf(&b, "%s:\n", s.Title)
		for _, l := range s.Lines {
			fmt.Fprintf(&b, "%*s: %s\n", width, l.Name, l.Version)
		}
	}
	return b.String()
}
