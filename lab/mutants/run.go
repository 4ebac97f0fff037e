package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "SURVIVED"
	broken   verdict = "BROKEN"
)

// patience bounds the test of one mutant: one that hangs without its protection is
// killed by the time-out of go test, which is a failure like any other.
const patience = 4 * time.Minute

// module gives the folder of the module of a package, and the package as it is named there.
func module(root, pkg string) (dir, rel string) {
	if rel, ok := strings.CutPrefix(pkg, "./lab/"); ok {
		return filepath.Join(root, "lab"), "./" + rel
	}
	return root, pkg
}

var ran = regexp.MustCompile(`(?m)^=== RUN`)

// try runs the test of one mutant in root and returns what the test printed.
func (m mutant) try(ctx context.Context, root, dir string, at markers) (verdict, string) {
	files, err := m.apply(root, at)
	if err != nil {
		return broken, err.Error()
	}
	overlay, err := write(files, root, filepath.Join(dir, m.name))
	if err != nil {
		return broken, err.Error()
	}
	// The packages that are changed, which a test may use by a process alone.
	for name := range files {
		dir, pkg := module(root, "./"+path.Dir(name))
		build := exec.CommandContext(ctx, "go", "build", "-o", os.DevNull, "-overlay", overlay, pkg)
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			return broken, "does not compile: " + tail(out)
		}
	}
	in, pkg := module(root, m.pkg)
	test := exec.CommandContext(ctx, "go", "test", "-vet=off", "-tags=slow", "-overlay", overlay, "-count=1", "-v", "-timeout", patience.String(), "-run", m.test, pkg)
	test.Dir = in
	test.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	out, err := test.CombinedOutput()
	switch {
	case !ran.Match(out):
		return broken, "no test ran: " + tail(out)
	case err == nil:
		return survived, "its test passes without the protection"
	}
	return killed, first(out)
}

// write puts the changed files and the overlay that names them into dir.
func write(files map[string]string, root, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		changed := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = changed
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// baseline runs the tests of all mutants without any change: a test that fails by
// itself kills nothing.
func baseline(ctx context.Context, root string, all []mutant) error {
	byPkg := map[string][]string{}
	for _, m := range all {
		byPkg[m.pkg] = append(byPkg[m.pkg], m.test)
	}
	for _, pkg := range slices.Sorted(maps.Keys(byPkg)) {
		tests := byPkg[pkg]
		dir, rel := module(root, pkg)
		cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-tags=slow", "-count=1", "-run", strings.Join(tests, "|"), rel)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("the tests of %s fail without any mutant: %s", pkg, failures(out))
		}
	}
	return nil
}

var said = regexp.MustCompile(`(?m)^\s+(\w+_test\.go:\d+: .*)$`)

// first is the first thing that a failing test said.
func first(out []byte) string {
	if m := said.FindSubmatch(out); m != nil {
		return cut(string(m[1]))
	}
	return tail(out)
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// failures names the tests that failed, with the first thing that one of them said.
func failures(out []byte) string {
	var names []string
	for _, m := range failed.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) == 0 {
		return tail(out)
	}
	return strings.Join(names, ", ") + ": " + first(out)
}

func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(bytes.ToValidUTF8(out, nil))), "\n")
	return cut(strings.Join(lines[max(len(lines)-3, 0):], " / "))
}

func cut(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
