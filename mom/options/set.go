package options

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Error is a wrong command line; its text is what optparse would say.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

func failf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

type option struct {
	names   []string // "-s", "--static"
	metavar string   // "" when it takes no value
	help    string
	group   string
	set     func(value string) error
	values  []string // all that it takes, if those are few
}

// Set holds the options of one command.
type Set struct {
	options []*option
	byName  map[string]*option
	group   string
}

// Group begins a new heading of the help.
func (s *Set) Group(title string) { s.group = title }

// Func adds an option with a value. Names are separated by blanks, as in
// "-c --config-dir"; an error of set is reported with the option's name.
func (s *Set) Func(names, metavar, help string, set func(value string) error) {
	o := &option{names: strings.Fields(names), metavar: metavar, help: help, group: s.group, set: set}
	if s.byName == nil {
		s.byName = map[string]*option{}
	}
	for _, n := range o.names {
		if s.byName[n] != nil {
			panic("option " + n + " is defined twice")
		}
		s.byName[n] = o
	}
	s.options = append(s.options, o)
}

// Do adds an option without a value that calls fn.
func (s *Set) Do(names, help string, fn func() error) {
	s.Func(names, "", help, func(string) error { return fn() })
}

// Bool adds an option without a value that sets *p.
func (s *Set) Bool(p *bool, names, help string) {
	s.Do(names, help, func() error { *p = true; return nil })
}

// Text adds an option that keeps its value in *p.
func (s *Set) Text(p *string, names, metavar, help string) {
	s.Func(names, metavar, help, func(v string) error { *p = v; return nil })
}

// Int adds an option whose value is a whole number; 0x and 0b are understood.
func (s *Set) Int(p *int, names, metavar, help string) {
	s.Func(names, metavar, help, func(v string) error {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 0, 32)
		if err != nil {
			return failf("invalid integer value: '%s'", v)
		}
		*p = int(n)
		return nil
	})
}

// Float adds an option whose value is a number.
func (s *Set) Float(p *float64, names, metavar, help string) {
	s.Func(names, metavar, help, func(v string) error {
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return failf("invalid floating-point value: '%s'", v)
		}
		*p = f
		return nil
	})
}

// Has reports whether there is an option of a name, with its dashes.
func (s *Set) Has(name string) bool { return s.byName[name] != nil }

// WriteHelp lists the options.
func (s *Set) WriteHelp(w io.Writer) error {
	group, indent := "", ""
	if _, err := fmt.Fprintln(w, "Options:"); err != nil {
		return err
	}
	for _, o := range s.options {
		if o.group != group {
			group, indent = o.group, "  "
			if _, err := fmt.Fprintf(w, "\n  %s:\n", group); err != nil {
				return err
			}
		}
		names := make([]string, len(o.names))
		for i, n := range o.names {
			names[i] = n
			switch {
			case o.metavar == "":
			case strings.HasPrefix(n, "--"):
				names[i] += "=" + o.metavar
			default:
				names[i] += " " + o.metavar
			}
		}
		if _, err := fmt.Fprintf(w, "%s  %s\n", indent, strings.Join(names, ", ")); err != nil {
			return err
		}
		for _, line := range wrap(o.help, 56) {
			if _, err := fmt.Fprintf(w, "%s                        %s\n", indent, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(out, line)
}
