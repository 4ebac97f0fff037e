package upstream

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Outcome is how a test ended.
type Outcome string

// The outcomes. A test whose set-up fails counts as failed.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Test is one test in one run.
type Test struct {
	Name    string  // module::test, below tests.pytests
	Outcome Outcome // worst of what junit has for it
	Text    string  `json:",omitempty"` // the first line of the failure
}

// Run is a suite with a cast.
type Run struct {
	Cast, Suite string
	Salt        string // version of the suites
	Tests       []Test
}

// Results are the last runs of every suite with every cast.
type Results struct{ Runs []Run }

// Put replaces the run of the same suite and cast.
func (r *Results) Put(run Run) {
	for i := range r.Runs {
		if r.Runs[i].Cast == run.Cast && r.Runs[i].Suite == run.Suite {
			r.Runs[i] = run
			return
		}
	}
	r.Runs = append(r.Runs, run)
}

// ReadResults reads a file that [Results.Write] has written. One that does not exist is empty.
func ReadResults(path string) (r Results, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	return r, nil
}

// Write writes the results to a file.
func (r Results) Write(path string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile(path, append(b, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSuites struct {
	Suites []struct {
		Cases []struct {
			Class   string        `xml:"classname,attr"`
			Name    string        `xml:"name,attr"`
			Failure *junitProblem `xml:"failure"`
			Error   *junitProblem `xml:"error"`
			Skipped *junitProblem `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// nameOf returns the name of a test, from that of its class, which begins with the path of the sources.
func nameOf(class, test string) string {
	if _, below, ok := strings.Cut("."+class, ".tests.pytests."); ok {
		class = below
	} else if _, below, ok := strings.Cut("."+class, ".tests."); ok {
		class = "old." + below
	}
	return class + "::" + test
}

// ParseJUnit reads the junit file of pytest. A test can stand there twice, when its tear-down
// fails too: the worst outcome counts.
func ParseJUnit(b []byte) ([]Test, error) {
	var s junitSuites
	if err := xml.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("read the junit file: %w", err)
	}
	var tests []Test
	at := map[string]int{}
	for _, suite := range s.Suites {
		for _, c := range suite.Cases {
			t := Test{Name: nameOf(c.Class, c.Name), Outcome: Passed}
			switch {
			case c.Failure != nil:
				t.Outcome, t.Text = Failed, c.Failure.line()
			case c.Error != nil:
				t.Outcome, t.Text = Failed, c.Error.line()
			case c.Skipped != nil:
				t.Outcome, t.Text = Skipped, c.Skipped.line()
			}
			i, seen := at[t.Name]
			switch {
			case !seen:
				at[t.Name] = len(tests)
				tests = append(tests, t)
			case t.Outcome == Failed:
				tests[i] = t
			}
		}
	}
	return tests, nil
}

// hideFolders replaces the folders of a run in the texts of its failures; names holds each folder
// and what stands for it.
func hideFolders(tests []Test, names ...string) {
	hide := strings.NewReplacer(names...)
	for i := range tests {
		tests[i].Text = hide.Replace(tests[i].Text)
	}
}

// longest bounds the text that is kept of a failure, in bytes.
const longest = 300

func (p *junitProblem) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(p.Message), "\n")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "")
	}
	return line
}
