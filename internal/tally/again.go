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

// maxAgain is up to how many packages with failures are given a second run; more
// than that is no accident of timing.
const maxAgain = 6

// suspects are the packages with failures, each with its failed top-level tests;
// none for a package that failed outside a test and has to run whole.
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

// again runs what failed once more and tells whether it passed now. Tests with
// real processes and sockets can fail on a machine that is busy with something
// else; one that passes when it runs again is named, and is a fault of its own to
// be mended, but does not hold up everything else.
func (t *tally) again(ctx context.Context, out io.Writer, run func(ctx context.Context, args []string) (io.ReadCloser, error)) bool {
	todo := t.suspects()
	if len(todo) == 0 || len(todo) > maxAgain || len(t.skipped) > 0 {
		return false
	}
	steady := true
	for _, pkg := range sortedPackages(todo) {
		args := []string{"test", "-race", "-count=1", "-timeout", "10m", "-json"}
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
		if err != nil && len(second.faults)+len(second.broken) == 0 {
			fmt.Fprintf(out, "again: %v\n", err)
		}
		if err != nil || len(second.faults)+len(second.broken)+len(second.skipped) > 0 || second.passed == 0 {
			steady = false
			continue
		}
		fmt.Fprintf(out, "UNSTEADY, to be mended: %s %s failed once and passed when run again\n", pkg, what)
	}
	return steady
}

func sortedPackages(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for pkg := range m {
		out = append(out, pkg)
	}
	slices.Sort(out)
	return out
}

// goTest runs the go command and gives what it prints; Close waits for its end.
func goTest(ctx context.Context, args []string) (io.ReadCloser, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // packages and tests of this module
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
