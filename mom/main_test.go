package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNames calls the program by its names: each is a command of its own, whatever
// folder it stands in, and any other name is mom.
func TestNames(t *testing.T) {
	for _, c := range []struct{ line, out, err string }{
		{"salt --help", "Usage: salt [options] '<target>'", ""},
		{"/usr/bin/salt --version", "salt ", ""},
		{"salt-call --help", "Usage: salt-call [options]", ""},
		{"salt-cp --help", "Usage: salt-cp [options]", ""},
		{"salt-key --help", "Usage: salt-key [options]", ""},
		{"salt-run --help", "Usage: salt-run [options]", ""},
		{"salt-master --help", "Run a master", ""},
		{"salt-minion --help", "Run a minion", ""},
		{"./salt-syndic --help", "Runs a node of the tree", ""},
		{"salt-master --nosuch", "", "Usage: salt-master [options]\n\nsalt-master: error: no such option: --nosuch\n"},
		{"mom salt --help", "Usage: salt [options] '<target>'", ""},
		{"mom tree --nosuch", "", "Usage: mom tree [options]\n\nmom tree: error: no such option: --nosuch\n"},
		{"mom trace --nosuch", "", "Usage: mom trace [options] JID\n\nmom trace: error: no such option: --nosuch\n"},
		{"mom tree --depth=deep", "", "Usage: mom tree [options]\n\nmom tree: error: invalid argument \"deep\" for \"--depth\" flag\n"},
		{"mom tree --timeout=soon", "", "Usage: mom tree [options]\n\nmom tree: error: invalid argument \"soon\" for \"-t, --timeout\" flag; give a number with a unit, such as 30s or 5m\n"},
		{"salt-api --help", "Runs the REST API", ""},
		{"salt-nosuch", "", "salt-nosuch is not part of mom; called by a name of Salt's it is one of salt, salt-call, salt-cp, salt-key, salt-run, salt-api, salt-master, salt-syndic, salt-minion\n"},
		{"mom --version", "mom version " + version() + "\n", ""},
		{"salt -V", "Salt Version:\n", ""},
		{"salt-call --versions-report", "Salt Version:\n", ""},
		{"salt-key -V", "Salt Version:\n", ""},
		{"salt-run -V", "Salt Version:\n", ""},
		{"salt-master -V", "Salt Version:\n", ""},
		{"salt-minion --versions-report", "Salt Version:\n", ""},
		{"salt-syndic -V", "Salt Version:\n", ""},
		{"mom -V", "Salt Version:\n", ""},
		{"mom salt -V", "Salt Version:\n", ""},
		{"mom tree -V", "Salt Version:\n", ""},
		{"mom node drain -V", "Salt Version:\n", ""},
		{"other --help", "mom runs and looks at a tree", ""},
	} {
		words := strings.Fields(c.line)
		var out, errOut bytes.Buffer
		code := run(words, strings.NewReader(""), &out, &errOut)
		want := 0
		if c.err != "" {
			want = 64
		}
		if code != want || !strings.HasPrefix(out.String(), c.out) || errOut.String() != c.err {
			t.Errorf("%s: exit %d\n%s\n%s", c.line, code, out.String(), errOut.String())
		}
	}
}

// TestCompletion asks the commands, as the scripts for shells do, for the values of
// options that take a fixed set.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"mom __complete tree --out ":            "text json dot mermaid :4",
		"mom __complete top --out=j":            "json :4",
		"mom __complete master -l w":            "warning :4",
		"mom __complete salt --out ya":          "yaml :4",
		"mom __complete salt web-01 --out=ya":   "yaml :4",
		"mom __complete salt-key --log-level q": "quiet :4",
		"mom __complete salt --log-file ":       ":0",
		"salt __complete --state-output terse_": "terse_id :4",
		"salt-syndic __complete --log-level c":  "critical :4",
		"mom __complete health --role ":         "master syndic minion :4",
	} {
		var out, errOut bytes.Buffer
		code := run(strings.Split(line, " "), strings.NewReader(""), &out, &errOut)
		if got := strings.Join(strings.Fields(out.String()), " "); code != 0 || got != want {
			t.Errorf("%s: exit %d, %s, want %s\n%s", line, code, got, want, errOut.String())
		}
	}
}

// A minion may be called as a word of ours: what salt does with the target completion is
// what it does with any. Only the name of a shell behind it asks for a script.
func TestCompletion_IsATarget(t *testing.T) {
	dir := t.TempDir() // where no master is
	said := func(target string) string {
		var out, errOut bytes.Buffer
		code := run([]string{"salt", target, "test.ping", "-c", dir, "--out=json"}, strings.NewReader(""), &out, &errOut)
		return strings.ReplaceAll(fmt.Sprint(code, out.String(), errOut.String()), target, "TARGET")
	}
	other := said("web-01")
	for _, target := range []string{"completion", "help"} {
		if got := said(target); got != other {
			t.Errorf("%s: %s\nof another target: %s", target, got, other)
		}
	}
	for _, words := range []string{"salt completion bash", "salt-key completion zsh", "mom completion fish"} {
		var out, errOut bytes.Buffer
		if code := run(strings.Fields(words), strings.NewReader(""), &out, &errOut); code != 0 || !strings.Contains(out.String(), "__complete") {
			t.Errorf("%s: exit %d, %s", words, code, errOut.String())
		}
	}
}

// TestCommands_NothingSteersTheTerminal gives every command, under its own name and as
// a word of mom, arguments that come back in its errors.
func TestCommands_NothingSteersTheTerminal(t *testing.T) {
	const bad = "\x1b]0;PWNED\x07\u009b2J\b\x9b"
	dir := t.TempDir()
	for _, name := range []string{"master", "minion"} {
		text := "interface: \"\\e[2J\"\n\"\\e]0;PWNED\\a: [\n" // no YAML
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var lines [][]string
	for _, c := range commandFor("mom").Commands() {
		for _, more := range [][]string{{"--" + bad}, {"-c", dir, bad, bad}, {"-c", dir}} {
			if c.Name() == "demo" || c.Name() == "sim" || c.Name() == "plan" { // they ask no peer
				continue
			}
			lines = append(lines, append([]string{"mom", c.Name()}, more...))
			lines = append(lines, append([]string{"salt-" + c.Name()}, more...))
		}
	}
	for _, words := range lines {
		var out, errOut bytes.Buffer
		run(words, strings.NewReader("n\n"), &out, &errOut)
		for _, text := range []string{out.String(), errOut.String()} {
			if strings.ContainsFunc(text, terminal.Obeyed) || strings.Contains(text, "\x9b") && !strings.Contains(text, "\u009b") {
				t.Errorf("%q: %q", words, text)
			}
		}
	}
}
