package upstream

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

const head = `<!-- Made by make upstream; do not edit. -->

# Does mom pass Salt's own tests?

Salt's suites run unchanged against mom: ` + "`make upstream`" + ` ([how](#how-to-run-them)). Their daemons and commands come from pytest-salt-factories, which
is given a folder of programs that run mom under Salt's names.

`

const foot = `
## How to run them

` + "```" + `
make upstream SALT_PEER=/opt/salt/3006.27 SALT_TESTS=/opt/salt/3006.27/tests SALT_FACTORIES=/opt/salt/factories
make upstream ARGS='--suite cli --cast "all mom"'    # some of them
make upstream SALT_PEER=/opt/salt/3008.2 SALT_TESTS=/opt/salt/3008.2/tests SALT_FACTORIES=/opt/salt/factories \
  ARGS='--suite "batch|match|manage|auth-events|peer|resources"'
` + "```" + `

` + "`SALT_PEER`" + ` is an unpacked Salt with ` + "`bin/`" + `, ` + "`SALT_TESTS`" + ` the folder ` + "`tests`" + ` of its sources. ` + "`SALT_FACTORIES`" + ` holds the Python packages of pytest-salt-factories,
pytest-shell-utilities, pytest-skip-markers, pytest-system-statistics and pytest-helpers-namespace
(` + "`pip install --target DIR pytest-salt-factories`" + `). With ` + "`SALT_PEER8`" + `, an unpacked
Salt 3008, its syndics and minions are tried below mom too (cast 3008 below). Python needs pytest, and pytest-timeout, mock, flaky and virtualenv (Debian has packages of them).

The daemons have their sockets in the scratch folder, so its path has to be short: ` + "`-dir /tmp/u`" + `. On a busy machine ` + "`UPSTREAM_PATIENCE=3`" + ` multiplies the time limits of
tests and commands.

Some suites run with Salt alone too (cast salt), to see what fails there. Three things differ from a run of Salt. The event bus of each Go daemon is forwarded to the factories by a small program
(` + "`lab/upstream/bridge.py`" + `), since Salt does it by an engine in Python. Sources of ` + "`ext_pillar`" + ` that are Python modules of the suites are left out of the
configuration (` + "`lab/upstream/plugin.py`" + `): with them each pillar has ` + "`_errors`" + `, and minions apply no states. And
` + "`MOM_SALT_ERRORS=1`" + ` lets commands report refusals as Salt's do ([commands.md](commands.md)).
`

// WritePage writes docs/reference/upstream.md.
func WritePage(w io.Writer, r Results, reasons []Reason) error {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("| cast | who is what |\n|---|---|\n")
	for _, c := range Casts() {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Name, c.About)
	}
	b.WriteString("\n| suite | cast | passed | failed | skipped |\n|---|---|---|---|---|\n")
	runs := r.ordered()
	salt, newer, names := "", "", []string{}
	for _, run := range runs {
		n := run.Count()
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d |\n", run.Suite, run.Cast, n[Passed], n[Failed], n[Skipped])
		switch {
		case !isNew(run.Suite):
			salt = run.Salt
		case !slices.Contains(names, run.Suite):
			newer, names = run.Salt, append(names, run.Suite)
		}
	}
	fmt.Fprintf(&b, "\nThe suites are those of Salt %s, \"old\" those that it has not moved to pytest's form. ", salt)
	if len(names) > 0 {
		fmt.Fprintf(&b, "Those named %s are of Salt %s, with its minions. ", strings.Join(names, ", "), newer)
	}
	fmt.Fprint(&b, "Salt's own marks skip a test: for another system, or a program that is not installed.\n")
	b.WriteString("\n## What fails, and why\n")
	for _, k := range kinds {
		var lines []string
		for _, run := range runs {
			for _, t := range run.Tests {
				if why, ok := Find(reasons, run.Cast, t.Name); t.Outcome == Failed && ok && why.Kind == k {
					lines = append(lines, fmt.Sprintf("| %s | `%s` | %s |\n", run.Cast, t.Name, why.Text))
				}
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n%s%s: %d\n\n| cast | test | why |\n|---|---|---|\n%s", strings.ToUpper(string(k[:1])), k[1:], len(lines), strings.Join(lines, ""))
		}
	}
	b.WriteString(foot)
	_, err := io.WriteString(w, b.String())
	return err
}

// isNew reports whether a suite is of Salt 3008.
func isNew(name string) bool {
	return slices.ContainsFunc(Suites(), func(s Suite) bool { return s.Name == name && s.New })
}

// ordered returns the runs in the order of suites and casts.
func (r Results) ordered() (out []Run) {
	for _, s := range Suites() {
		for _, c := range Casts() {
			for _, run := range r.Runs {
				if run.Suite == s.Name && run.Cast == c.Name {
					out = append(out, run)
				}
			}
		}
	}
	return out
}

// Count returns how many tests ended how.
func (r Run) Count() map[Outcome]int {
	n := map[Outcome]int{}
	for _, t := range r.Tests {
		n[t.Outcome]++
	}
	return n
}
