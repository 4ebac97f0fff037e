package doctor

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Level is how a finding matters.
type Level int

// The levels.
const (
	Works  Level = iota // as it is
	Differ              // it works, but not as it did, or it has to be looked at
	Fails               // it does not work
)

func (l Level) String() string { return [...]string{"works", "differs", "fails"}[l] }

// Finding is one thing that the doctor has found.
type Finding struct {
	Level Level
	Area  string // such as "options"
	Where string // file and line, or option; "": all of it
	What  string
	Do    string // "": there is nothing to be done
}

// Report is what was found.
type Report struct {
	Dir      string
	Findings []Finding
}

// maxOfOne bounds the findings of one area and level that are shown one by one.
const maxOfOne = 500

// add adds a finding that is not there yet.
func (r *Report) add(f Finding) {
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

// works, differs and fails add a finding.
func (r *Report) works(area, where, format string, args ...any) {
	r.add(Finding{Works, area, where, fmt.Sprintf(format, args...), ""})
}

func (r *Report) differs(area, where, do, format string, args ...any) {
	r.add(Finding{Differ, area, where, fmt.Sprintf(format, args...), do})
}

func (r *Report) fails(area, where, do, format string, args ...any) {
	r.add(Finding{Fails, area, where, fmt.Sprintf(format, args...), do})
}

// Count is how many findings a level has.
func (r *Report) Count(l Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// sort brings the worst to the front, by area in the order of the checks.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(b.Level, a.Level) })
}

// Text writes it for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	heads := map[Level]string{Fails: "Does not work", Differ: "Look at this", Works: "Works"}
	for _, l := range []Level{Fails, Differ, Works} {
		if r.Count(l) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n", heads[l])
		area, n := "", 0
		for _, f := range r.Findings {
			if f.Level != l {
				continue
			}
			if f.Area != area {
				more(&b, n)
				area, n = f.Area, 0
				fmt.Fprintf(&b, "  %s\n", area)
			}
			if n++; n <= maxOfOne {
				f.text(&b)
			}
		}
		more(&b, n)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s: %d things work, %d are to be looked at, %d do not work\n", r.Dir, r.Count(Works), r.Count(Differ), r.Count(Fails))
	_, err := io.WriteString(w, b.String())
	return err
}

func more(b *strings.Builder, n int) {
	if n > maxOfOne {
		fmt.Fprintf(b, "    and %d more\n", n-maxOfOne)
	}
}

func (f Finding) text(b *strings.Builder) {
	b.WriteString("    ")
	if f.Where != "" {
		b.WriteString(f.Where + ": ")
	}
	b.WriteString(strings.ReplaceAll(strings.TrimSpace(f.What), "\n", "\n      ") + "\n")
	if f.Do != "" {
		b.WriteString("      → " + f.Do + "\n")
	}
}

// Value is it for programs.
func (r *Report) Value() *value.Map {
	list := make([]any, len(r.Findings))
	for i, f := range r.Findings {
		list[i] = value.NewMap("level", f.Level.String(), "area", f.Area, "where", f.Where, "what", f.What, "do", f.Do)
	}
	return value.NewMap("folder", r.Dir, "works", r.Count(Works), "differs", r.Count(Differ), "fails", r.Count(Fails), "findings", list)
}
