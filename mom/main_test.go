package main

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNames calls the program by its names: each is a command of its own, whatever
// folder it stands in, and any other name is mom.
func TestNames(t *testing.T) {
	for _, c := range []struct{ line, out, err string }{
		{"salt --help", "Usage: salt [options] '<target>'", ""},
		{"/usr/bin/salt --version", "salt ", ""},
		{"salt-call --help", "Usage: salt-call [options]", ""},
		{"salt-key --help", "Usage: salt-key [options]", ""},
		{"salt-run --help", "Usage: salt-run [options]", ""},
		{"salt-master --help", "Run a master", ""},
		{"salt-minion --help", "Run a minion", ""},
		{"./salt-syndic --help", "Runs a node of the tree", ""},
		{"salt-master --nosuch", "", "Usage: salt-master [options]\n\nsalt-master: error: unknown flag: --nosuch\n"},
		{"mom salt --help", "Usage: salt [options] '<target>'", ""},
		{"mom tree --nosuch", "", "Usage: mom [options]\n\nmom: error: unknown flag: --nosuch\n"},
		{"mom --version", "mom version " + version() + "\n", ""},
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
