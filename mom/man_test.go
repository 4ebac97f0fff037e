package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMan writes the pages: one for each command under each name, with its options.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	var out, errOut bytes.Buffer
	if code := run([]string{"mom", "man", dir}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("exit %d, %s", code, errOut.String())
	}
	for name, wants := range map[string][]string{
		"mom.1":            {`.TH "MOM" 1 "" "mom `, ".SH SYNOPSIS\n.nf\nmom [command]", "tree "},
		"mom-tree.1":       {".SH NAME\nmom\\-tree \\- ", "\\-\\-depth", ".SH \"SEE ALSO\"\n.BR mom (1)"},
		"mom-node-drain.1": {".BR mom\\-node (1)"},
		"salt.1":           {".SH SYNOPSIS\n.nf\nsalt [options] '<target>' <function> [arguments]", "\\-\\-progress", ".SH \"OPTIONS\""},
		"salt-cp.1":        {"\\-C, \\-\\-chunked"},
		"salt-key.1":       {"\\-\\-finger\\-all"},
		"salt-master.1":    {".SH NAME\nsalt\\-master \\- ", "\\-\\-config\\-dir"},
		"salt-syndic.1":    {"\\-\\-standalone"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(string(b), want) {
				t.Errorf("%s lacks %q:\n%.600s", name, want, b)
			}
		}
		for line := range strings.Lines(string(b)) { // nothing of the help is an order
			if word, _, _ := strings.Cut(line, " "); strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .nf .fi .BR ", " "+strings.TrimSpace(word)+" ") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	out.Reset()
	errOut.Reset()
	if code := run([]string{"mom", "man", filepath.Join(dir, "mom.1", "x")}, strings.NewReader(""), &out, &errOut); code == 0 || !strings.Contains(errOut.String(), "create the directory for manual pages") {
		t.Errorf("a folder that cannot be: exit %d, %s", code, errOut.String())
	}
}

// The pages are those that the packages are said to hold (deploy/packages): a new command
// is entered there, or `make packages` fails.
func TestMan_Packaged(t *testing.T) {
	dir := t.TempDir()
	var out, errOut bytes.Buffer
	if code := run([]string{"mom", "man", dir}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("exit %d, %s", code, errOut.String())
	}
	written, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	packaged := map[string]bool{}
	for _, list := range []string{"mom.files", "mom-salt.files"} {
		b, err := os.ReadFile(filepath.Join("../deploy/packages", list))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if _, page, ok := strings.Cut(strings.TrimSpace(line), "/man1/"); ok {
				packaged[strings.TrimSuffix(page, ".gz")] = true
			}
		}
	}
	for _, page := range written {
		if !packaged[page.Name()] {
			t.Errorf("%s is in no list of deploy/packages", page.Name())
		}
		delete(packaged, page.Name())
	}
	for page := range packaged {
		t.Errorf("%s is listed in deploy/packages and not written", page)
	}
}
