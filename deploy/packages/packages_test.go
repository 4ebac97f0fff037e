package packages

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/config"
)

// content is one entry of what a package holds.
type content struct{ Src, Dst, Type, Packager string }

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func contents(t *testing.T, name string) []content {
	t.Helper()
	var p struct {
		Name     string
		Contents []content
		Scripts  map[string]string
	}
	if err := yaml.Unmarshal([]byte(read(t, name+".yaml")), &p); err != nil {
		t.Fatal(err)
	}
	if p.Name != name || len(p.Contents) == 0 {
		t.Fatalf("%s.yaml: the package %s of %d files", name, p.Name, len(p.Contents))
	}
	for _, script := range p.Scripts {
		p.Contents = append(p.Contents, content{Src: script})
	}
	return p.Contents
}

// What a package is made of is in the repository or made by `make packages`, and what it
// puts where is what the look at the built package expects (check.sh).
func TestContents(t *testing.T) {
	for _, name := range []string{"mom", "mom-salt"} {
		listed := read(t, name+".files")
		for _, c := range contents(t, name) {
			if c.Type != "symlink" && !strings.HasPrefix(c.Src, "build/") {
				if _, err := os.Stat(filepath.Join("..", "..", c.Src)); err != nil {
					t.Error(err)
				}
			}
			if c.Dst == "" || c.Packager == "rpm" {
				continue
			}
			want := " ." + c.Dst
			if c.Type == "symlink" {
				want += " -> ." + c.Src
			}
			if !strings.HasSuffix(want, "/") {
				want += "\n"
			}
			if !strings.Contains(strings.ReplaceAll(listed, "-> /", "-> ./"), want) {
				t.Errorf("%s.files lacks %s", name, want)
			}
		}
	}
}

// Whoever builds a package answers for it: no address is made up here.
func TestMaintainer(t *testing.T) {
	for _, name := range []string{"mom", "mom-salt"} {
		if text := read(t, name+".yaml"); !strings.Contains(text, "\nmaintainer: ${MAINTAINER}\n") || strings.Contains(text, ".invalid") {
			t.Errorf("%s.yaml names a maintainer of its own", name)
		}
	}
	if !strings.Contains(read(t, "..", "..", "Makefile"), "MAINTAINER='$(MAINTAINER)'") {
		t.Error("make packages does not say who builds them")
	}
}

// The links of mom-salt are the names of the Makefile.
func TestNames(t *testing.T) {
	var links []string
	for _, c := range contents(t, "mom-salt") {
		if c.Type == "symlink" {
			links = append(links, path.Base(c.Dst))
		}
	}
	_, rest, _ := strings.Cut(read(t, "..", "..", "Makefile"), "\nNAMES := ")
	names, _, _ := strings.Cut(rest, "\n")
	if want := strings.Fields(names); !slices.Equal(links, want) {
		t.Errorf("links %v, names of the Makefile %v", links, want)
	}
}

// directives are what the units say, by section; a word that systemd does not know it
// only warns of.
var directives = map[string][]string{
	"Unit":    {"Description", "Wants", "After", "Conflicts"},
	"Service": {"Type", "ExecStart", "Restart", "RestartSec", "TimeoutStopSec", "KillMode", "LimitNOFILE", "OOMPolicy", "UMask"},
	"Install": {"WantedBy"},
}

// Units start the role they are named after, from the place that `make packages` turns
// into that of the package.
func TestUnits(t *testing.T) {
	units, err := filepath.Glob("../systemd/*.service")
	if err != nil || len(units) != 4 {
		t.Fatal(units, err)
	}
	for _, unit := range units {
		section, begins := "", 0
		role := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(unit), "mom-"), ".service")
		for line := range strings.Lines(read(t, unit)) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.TrimSuffix(name, "]")
				continue
			}
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			if !ok || !slices.Contains(directives[section], key) && !(section == "Service" && protected(role)[key] != "") {
				t.Errorf("%s: %q in [%s]", unit, line, section)
			}
			if key == "ExecStart" {
				begins++
				if want := "/usr/local/bin/mom " + role + " -c /etc/salt"; value != want {
					t.Errorf("%s starts %s, want %s", unit, value, want)
				}
			}
		}
		if begins != 1 {
			t.Errorf("%s starts %d programs", unit, begins)
		}
	}
}

// The log files that daemons have by default are rotated.
func TestLogrotate(t *testing.T) {
	text := read(t, "logrotate")
	for _, file := range []string{config.DefaultMaster().LogFile, config.DefaultMinion().LogFile} {
		if !regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(file) + `[ {].*\{$`).MatchString(text) {
			t.Errorf("%s is not rotated", file)
		}
	}
}
