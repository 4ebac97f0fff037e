package config

import (
	"fmt"
)

// source is what a loaded configuration remembers of its files.
type source struct {
	// Dir is the folder the configuration was read from.
	Dir string
	// ConfFile is the main file in Dir, which may not exist.
	ConfFile string
	// Raw holds every option of the files as they were written, known or
	// not, for config.get.
	Raw map[string]any
	// LeftOut are the entries of options that cannot be understood and have no effect, each
	// with its place.
	LeftOut []string

	places  map[string]Place
	ordered map[string]any
}

// Place is a line of a configuration file. The zero Place means: not from a
// file.
type Place struct {
	File string
	Line int
}

// String is "file:line", "file", or "default".
func (p Place) String() string {
	switch {
	case p.File == "":
		return "default"
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Kind says what a Warning is about.
type Kind string

// The kinds of warnings.
const (
	UnknownOption Kind = "unknown option"
	WrongRole     Kind = "wrong role"
	NoEffect      Kind = "no effect"
	Missing       Kind = "missing"
	Permission    Kind = "permission"
	Replaced      Kind = "replaced"
)

// Warning is something in a configuration that does not stop a start but
// should be told.
type Warning struct {
	Place
	Kind   Kind
	Option string
	Text   string
}

// String is the whole warning in one line.
func (w Warning) String() string {
	if w.File == "" {
		return w.Text
	}
	return w.Place.String() + ": " + w.Text
}

// Fault is one error in a configuration.
type Fault struct {
	Place
	Option string
	Text   string
}

// Error is "file:line: option: text".
func (f *Fault) Error() string {
	if f.Option == "" {
		return f.Place.String() + ": " + f.Text
	}
	return f.Place.String() + ": " + f.Option + ": " + f.Text
}
