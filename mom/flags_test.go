package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var namedFlag = regexp.MustCompile(`(?:^|[^\w-])--([a-zA-Z][\w-]*)`)

// foreignFlags are flags of other programs in commands on the pages.
var foreignFlags = []string{
	"from", "now", "rm", "entrypoint", "force-recreate", // COPY in a Dockerfile, systemctl, docker run, docker compose
	"homedir", "export-secret-keys", "armor", // gpg
	"unix-socket",             // curl
	"target",                  // pip
	"subjects", "dupe-window", // nats
}

// labPages are pages about momlab, whose flags its own tests check.
var labPages = []string{"../docs/reference/benchmarks.md", "../docs/design/chaos.md", "../docs/design/scale.md", "../docs/design/simulator.md", "../docs/guide/swarm.md"}

// ofLab matches lines that call momlab, by its name or by a target of the Makefile.
var ofLab = regexp.MustCompile(`(?m)^.*(momlab|ARGS=).*$`)

// TestPagesNameFlags compares the pages with the commands: each flag on a page exists, and each flag
// of mom's own commands is on some page, by its name or its letter. Salt's own commands are documented
// by Salt.
func TestPagesNameFlags(t *testing.T) {
	known, own := slices.Clone(foreignFlags), map[string]*pflag.Flag{}
	for _, c := range saltCommands() {
		known = append(known, flagsIn(helpOf(c.Name()))...)
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		known = append(known, flagsIn(helpOf(strings.Fields(c.CommandPath())...))...)
		if !slices.ContainsFunc(saltCommands(), func(s *cobra.Command) bool { return s.Name() == c.Name() }) {
			c.Flags().VisitAll(func(f *pflag.Flag) { own[c.CommandPath()+" --"+f.Name] = f })
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(commandFor("mom"))
	if len(own) < 40 {
		t.Fatalf("only %d flags of our own commands were found", len(own))
	}

	pages := readPages(t, "../README.md", "../docs")
	var all strings.Builder
	for name, text := range pages {
		all.WriteString(text)
		if slices.Contains(labPages, name) {
			continue
		}
		text = ofLab.ReplaceAllString(text, "")
		for _, f := range flagsIn(text) {
			if !slices.Contains(known, f) {
				t.Errorf("%s names --%s, which no command has", name, f)
			}
		}
	}
	named := flagsIn(all.String())
	for path, f := range own {
		letter := regexp.MustCompile("(?:^|[ `])-" + f.Shorthand + "[ `,]")
		if !slices.Contains(named, f.Name) && (f.Shorthand == "" || !letter.MatchString(all.String())) {
			t.Errorf("%s is on no page", path)
		}
	}
}

// helpOf returns the help of a command line.
func helpOf(words ...string) string {
	var out bytes.Buffer
	run(append(words, "--help"), strings.NewReader(""), &out, io.Discard)
	return out.String()
}

func flagsIn(text string) (names []string) {
	for _, m := range namedFlag.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// readPages reads all Markdown below the paths except the decisions, which describe the state at
// their time.
func readPages(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "decisions":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".md":
				return nil
			}
			b, err := os.ReadFile(path)
			pages[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}
