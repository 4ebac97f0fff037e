package demo

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// TestDemo runs the whole demo: what it shows has to be complete, and nothing of
// it may stay behind.
func TestDemo(t *testing.T) {
	var out, errOut bytes.Buffer
	cmd := momtest.Process(t, "mom", "demo")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errOut.String())
	}
	text := out.String()
	for _, want := range []string{
		"All 10 processes are up",
		"6 expected, 6 returned, 0 failed, 0 missing",
		"0 expected, 0 returned, 0 failed, 0 missing",
		"did not return [Not connected], behind top → syndic-a → syndic-c",
		"6 expected, 5 returned, 0 failed, 1 missing",
		"db-02 DOWN",
		"jobs.lookup_jid",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what the demo shows:\n%s", want, text)
		}
	}
	if n := len(regexp.MustCompile(`(?m)ms  \S+ +True$`).FindAllString(text, -1)); n != 6+5 {
		t.Errorf("%d answers to test.ping are shown, want 11:\n%s", n, text)
	}
	dir := regexp.MustCompile(`minions in (\S+)`).FindStringSubmatch(text)
	if dir == nil {
		t.Fatalf("the folder is not named:\n%s", text)
	}
	if _, err := os.Stat(dir[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the demo leaves %s behind (%v)", dir[1], err)
	}
}

// TestDemo_BadTree tells what is wrong with a drawing.
func TestDemo_BadTree(t *testing.T) {
	got := momtest.Run(Command(), "", "--tree", "a: m\nb: n")
	if got.Code == 0 || !strings.Contains(got.Err, "line 2: b stands beside the top") {
		t.Error(got)
	}
}
