package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// maxAgain bounds the packages with failures that are given a second run; more failures are not
// an accident of timing.
const maxAgain = 6

// suspects are the packages with failures, each with its failed top-level tests; none for a
// package that failed outside a test and must run whole.
func (t *tally) suspects() map[string][]string {
	out := map[string][]string{}
	for _, id := range t.faults {
		name, _, _ := strings.Cut(id.test, "/")
		if !slices.Contains(out[id.pkg], name) {
			out[id.pkg] = append(out[id.pkg], name)
		}
	}
	for _, pkg := range t.broken {
		out[pkg] = nil
	}
	return out
}

// again runs the failed tests once more and reports whether they passed. Tests with real
// processes and sockets can fail on a busy machine. A test that passes when it runs again is
// still a fault to fix, but it does not block everything else: the last line counts and names
// each.
//
// The flags are passed to go test.
func (t *tally) again(ctx context.Context, out io.Writer, flags []string, run func(ctx context.Context, args []string) (io.ReadCloser, error)) bool {
	todo := t.suspects()
	if len(todo) == 0 || len(todo) > maxAgain || len(t.skipped) > 0 {
		return false
	}
	failed, unsteady := 0, []string{}
	for _, pkg := range sortedPackages(todo) {
		args := slices.Concat([]string{"-C", moduleOf(pkg), "test"}, flags, []string{"-count=1", "-timeout", "10m", "-json"})
		what := "the package"
		if tests := todo[pkg]; len(tests) > 0 {
			what = strings.Join(tests, ", ")
			args = append(args, "-run", "^("+strings.Join(tests, "|")+")$")
		}
		fmt.Fprintf(out, "again: %s %s\n", pkg, what)
		events, err := run(ctx, append(args, pkg))
		if err != nil {
			fmt.Fprintf(out, "again: %v\n", err)
			return false
		}
		second := newTally(out)
		err = errors.Join(second.read(events), events.Close())
		faults := len(second.faults) + len(second.broken) + len(second.skipped)
		if faults == 0 && (err != nil || second.passed == 0) {
			fmt.Fprintf(out, "again: %s: no verdict: %v\n", pkg, err)
			faults = 1
		} else {
			unsteady = append(unsteady, second.mended(pkg, todo[pkg])...)
		}
		failed += faults
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped, %d passed only when run again, to be mended", t.passed, failed, len(t.skipped), len(unsteady))
	if len(unsteady) > 0 {
		fmt.Fprintf(out, ": %s", strings.Join(unsteady, ", "))
	}
	fmt.Fprintln(out)
	return failed == 0
}

// moduleOf returns the directory of the Go module that contains a package.
func moduleOf(pkg string) string {
	for _, dir := range []string{"lab", "test/collector", "test/brokers"} {
		if path := "github.com/momtree/mom/" + dir; pkg == path || strings.HasPrefix(pkg, path+"/") {
			return dir
		}
	}
	return "."
}

// mended returns those of a package's tests that did not fail in this, their second run; the
// package itself if it ran whole. If a run ended early, the other tests are unknown.
func (t *tally) mended(pkg string, tests []string) []string {
	if len(t.broken) > 0 {
		return nil
	}
	if len(tests) == 0 {
		if len(t.faults)+len(t.skipped) > 0 {
			return nil
		}
		return []string{pkg}
	}
	bad := append(t.suspects()[pkg], t.skipped...)
	var out []string
	for _, name := range tests {
		if !slices.Contains(bad, name) && !slices.Contains(bad, pkg+" "+name) {
			out = append(out, pkg+"."+name)
		}
	}
	return out
}

func sortedPackages(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for pkg := range m {
		out = append(out, pkg)
	}
	slices.Sort(out)
	return out
}

// goTest runs the go command and returns its output; Close waits for its end.
func goTest(ctx context.Context, args []string) (io.ReadCloser, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return command{out, cmd}, nil
}

type command struct {
	io.Reader
	cmd *exec.Cmd
}

func (c command) Close() error { return c.cmd.Wait() }
