package inifile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Set sets options, and the options of sections (maps). It returns the changed ones by
// name, with the values before and after, nested in sections. It returns an error for a
// name or value that would be read back differently.
func (f *File) Set(wanted *value.Map) (changes *value.Map, err error) { return f.set(wanted, 0) }

func (s *section) set(wanted *value.Map, depth int) (changes *value.Map, err error) {
	changes = value.NewMap()
	wanted.Range(func(k, v any) bool {
		name := pyfmt.Str(k)
		body, isSection := v.(*value.Map)
		if isSection && depth > 0 {
			err = fmt.Errorf("section %s is nested; an ini file has one level", pyfmt.Repr(name))
			return false
		}
		if isSection {
			err = s.setSection(changes, name, body)
			return err == nil
		}
		if err = oneLine(name, pyfmt.Str(v)); err != nil {
			return false
		}
		s.setOption(changes, name, pyfmt.Str(v))
		return true
	})
	return changes, err
}

// oneLine returns an error for text that would be read as other options, sections or
// comments.
func oneLine(name, v string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "\n\r\x00") || strings.ContainsAny(strings.TrimSpace(name)[:min(1, len(strings.TrimSpace(name)))], "[#;"):
		return fmt.Errorf("%s is not an option name: it has to be one line that does not begin with [, # or ;", pyfmt.Repr(name))
	case strings.ContainsRune(v, 0):
		return fmt.Errorf("the value of %s contains a NUL byte", pyfmt.Repr(name))
	}
	for _, line := range strings.Split(v, "\n")[1:] {
		if line == "" || !strings.ContainsAny(line[:1], " \t") {
			return fmt.Errorf("each line of the value of %s after the first has to begin with white space", pyfmt.Repr(name))
		}
	}
	return nil
}

func (s *section) setOption(changes *value.Map, name, v string) {
	i := s.find(name)
	switch {
	case i < 0:
		changes.Set(name, value.NewMap("before", nil, "after", v))
		s.put(name, v)
	case s.entries[i].section != nil || s.entries[i].value != v:
		var before any = s.entries[i].value
		if body := s.entries[i].section; body != nil {
			before = body.values()
		}
		changes.Set(name, value.NewMap("before", before, "after", v))
		s.entries[i] = entry{name: name, value: v}
	}
}

func (s *section) setSection(changes *value.Map, name string, wanted *value.Map) error {
	if name == "" || strings.ContainsAny(name, "]\n\r\x00") {
		return fmt.Errorf("%s is not a section name: it has to be one line without ]", pyfmt.Repr(name))
	}
	i := s.find(name)
	if i >= 0 && s.entries[i].section != nil {
		inner, err := s.entries[i].section.set(wanted, 1)
		if inner.Len() > 0 {
			changes.Set(name, inner)
		}
		return err
	}
	body := &section{separator: s.separator}
	if _, err := body.set(wanted, 1); err != nil {
		return err
	}
	var before any
	if i >= 0 {
		before = s.entries[i].value
		s.entries[i] = entry{name: name, section: body}
	} else {
		s.entries = append(s.entries, entry{name: name, section: body})
	}
	changes.Set(name, value.NewMap("before", before, "after", body.values()))
	return nil
}

// RemoveOption removes an option of a section and returns its value; "" means the part
// above the first section. ok is false if the option does not exist.
func (f *File) RemoveOption(name, option string) (v string, ok bool) {
	s := &f.section
	if name != "" {
		i := f.find(name)
		if i < 0 || f.entries[i].section == nil {
			return "", false
		}
		s = f.entries[i].section
	}
	i := s.find(option)
	if i < 0 || s.entries[i].section != nil {
		return "", false
	}
	v = s.entries[i].value
	s.entries = slices.Delete(s.entries, i, i+1)
	return v, true
}

// RemoveSection removes a section and returns its options, or nil if it does not exist.
func (f *File) RemoveSection(name string) *value.Map {
	i := f.find(name)
	if i < 0 || f.entries[i].section == nil {
		return nil
	}
	out := f.entries[i].section.values()
	f.entries = slices.Delete(f.entries, i, i+1)
	return out
}

// Text returns the file in Salt's form: blanks around the separator unless NoSpaces is set,
// and an empty line before each section.
func (f *File) Text() string {
	var b strings.Builder
	sep := f.separator
	if sep != " " && !f.NoSpaces {
		sep = " " + sep + " "
	}
	f.write(&b, sep)
	return strings.TrimLeft(b.String(), "\n")
}

func (s *section) write(b *strings.Builder, sep string) {
	for _, e := range s.entries {
		switch {
		case e.section != nil:
		case strings.HasPrefix(e.name, "#"):
			b.WriteString(e.value + "\n")
		default:
			b.WriteString(e.name + sep + e.value + "\n")
		}
	}
	for _, e := range s.entries {
		if e.section != nil {
			b.WriteString("\n[" + e.name + "]\n")
			e.section.write(b, sep)
		}
	}
}
