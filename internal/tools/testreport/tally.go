package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of `go test -json`, as `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output and build-fail
	Test       string
	Elapsed    float64 // seconds
	Output     string
}

// testID names a test; an empty Test is the package itself.
type testID struct{ pkg, test string }

// tally counts the tests of a run. Sub-tests count as tests.
type tally struct {
	out     io.Writer
	output  map[testID]*strings.Builder // of tests and packages that have not ended
	passed  int
	failed  int
	faults  []testID // the failed tests
	skipped []string
	broken  []string // packages that failed without a failed test: build errors, exits, panics, time-outs
	blamed  map[string]bool

	tests, packages []timed // top-level tests of at least a second, and packages
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, output: map[testID]*strings.Builder{}, blamed: map[string]bool{}}
}

// read reads events until r ends. A line that is not an event, such as a message of the go
// command, is printed.
func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(t.out, "%s\n", strings.TrimRight(string(line), "\n"))
			} else {
				t.add(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading test events: %w", err)
		}
	}
}

func (t *tally) add(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		_, _ = io.WriteString(t.out, e.Output)
	case "output":
		b := t.output[id]
		if b == nil {
			b = new(strings.Builder)
			t.output[id] = b
		}
		b.WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.endPackage(e)
		} else {
			t.endTest(e)
		}
	}
}

func (t *tally) endTest(e event) {
	id := testID{e.Package, e.Test}
	if e.Elapsed >= 1 && !strings.Contains(e.Test, "/") {
		t.tests = append(t.tests, timed{e.Package + " " + e.Test, e.Elapsed})
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
		t.faults = append(t.faults, id)
		t.blamed[e.Package] = true
		t.show(id)
	case "skip":
		t.skipped = append(t.skipped, e.Package+" "+e.Test)
		t.show(id)
	}
	delete(t.output, id)
}

// endPackage prints the package's line. In a failed package it also shows the tests that never
// ended: a panic or a timeout leaves its trace in their output.
func (t *tally) endPackage(e event) {
	if e.Action == "fail" {
		var open []testID
		for id := range t.output {
			if id.pkg == e.Package {
				open = append(open, id)
			}
		}
		slices.SortFunc(open, func(a, b testID) int { return strings.Compare(b.test, a.test) }) // the package last
		for _, id := range open {
			t.show(id)
		}
		if !t.blamed[e.Package] {
			t.broken = append(t.broken, e.Package)
		}
	}
	for id := range t.output {
		if id.pkg == e.Package {
			delete(t.output, id)
		}
	}
	if e.Action != "skip" {
		t.packages = append(t.packages, timed{e.Package, e.Elapsed})
	}
	word := map[string]string{"pass": "ok", "fail": "FAIL", "skip": "no tests"}[e.Action]
	fmt.Fprintf(t.out, "%-8s %s %.1fs\n", word, e.Package, e.Elapsed)
}

func (t *tally) show(id testID) {
	if b := t.output[id]; b != nil {
		_, _ = io.WriteString(t.out, b.String())
	}
}

// close prints what was skipped or broken and the closing line, and reports whether the run is
// good.
func (t *tally) close() bool {
	for _, name := range t.skipped {
		fmt.Fprintf(t.out, "skipped: %s\n", name)
	}
	for _, pkg := range t.broken {
		fmt.Fprintf(t.out, "failed outside a test: %s\n", pkg)
	}
	failed := t.failed + len(t.broken)
	if t.passed+failed+len(t.skipped) == 0 {
		fmt.Fprintln(t.out, "no test ran")
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, failed, len(t.skipped))
	return failed == 0 && len(t.skipped) == 0 && t.passed > 0
}
