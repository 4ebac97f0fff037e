package config

import (
	"fmt"
)

// source is what a loaded configuration records about its files.
type source struct {
	// Dir is the directory that the configuration was read from.
	Dir string
	// ConfFile is the main file in Dir, which may not exist.
	ConfFile string
	// Raw holds every option of the files as written, known or not, for config.get.
	Raw map[string]any
	// LeftOut are the invalid entries of options, which have no effect, each with its place.
	LeftOut []string

	places  map[string]Place
	ordered map[string]any
}

// Place is a line of a configuration file. The zero Place means no file.
type Place struct {
	File string
	Line int
}

// String returns "file:line", "file", or "default".
func (p Place) String() string {
	switch {
	case p.File == "":
		return "default"
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Kind is the kind of a Warning.
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

// Warning describes a problem of a configuration that does not prevent the start.
type Warning struct {
	Place
	Kind   Kind
	Option string
	Text   string
}

// String returns the warning in one line.
func (w Warning) String() string {
	if w.File == "" {
		return w.Text
	}
	return w.Place.String() + ": " + w.Text
}

// Fault is an error in a configuration.
type Fault struct {
	Place
	Option string
	Text   string
}

// Error returns "file:line: option: text".
func (f *Fault) Error() string {
	if f.Option == "" {
		return f.Place.String() + ": " + f.Text
	}
	return f.Place.String() + ": " + f.Option + ": " + f.Text
}
