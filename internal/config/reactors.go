package config

import (
	"fmt"
	"maps"
	"slices"
)

// Reactors is the option reactor.
type Reactors struct {
	// List are the entries in their order.
	List []Reaction
	// File is a YAML file that has the list; "" if the option has it.
	File string
	// Faults describe the entries that were left out.
	Faults []string
}

// Reaction maps a tag to files.
type Reaction struct {
	// Tag is a glob for the whole tag of an event.
	Tag string
	// SLS are absolute paths, which may be globs, and salt:// paths.
	SLS []string
}

// None reports whether no reaction is configured.
func (r Reactors) None() bool { return len(r.List) == 0 && r.File == "" }

// ReadReactors reads a list of maps from tags to files, or the path of a file with it. As in
// Salt, invalid entries are left out; they are in Faults.
func ReadReactors(val any) Reactors {
	if file, ok := val.(string); ok {
		return Reactors{File: file}
	}
	var out Reactors
	fault := func(format string, args ...any) { out.Faults = append(out.Faults, fmt.Sprintf(format, args...)) }
	list, ok := val.([]any)
	if !ok {
		fault("wants a list of {tag: [files]}, or a file that has it, has %s", describe(val))
	}
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok || len(m) != 1 {
			fault("entry %d wants one tag with its files, has %s", i+1, describe(e))
			continue
		}
		tag := slices.Collect(maps.Keys(m))[0]
		r := Reaction{Tag: tag}
		switch files := m[tag].(type) {
		case string:
			r.SLS = []string{files}
		case []any:
			for _, f := range files {
				if text, ok := f.(string); ok {
					r.SLS = append(r.SLS, text)
				} else {
					fault("entry %d, tag %s: wants a list of files, has %s in it", i+1, tag, describe(f))
				}
			}
		default:
			fault("entry %d, tag %s: wants a list of files, has %s", i+1, tag, describe(files))
			continue
		}
		out.List = append(out.List, r)
	}
	return out
}

// value returns the value as in a file.
func (r Reactors) value() any {
	if r.File != "" {
		return r.File
	}
	out := []any{}
	for _, e := range r.List {
		files := []any{}
		for _, f := range e.SLS {
			files = append(files, f)
		}
		out = append(out, map[string]any{e.Tag: files})
	}
	return out
}
