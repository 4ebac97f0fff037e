package inifile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/text"
	"github.com/momtree/mom/value"
)

// entry is one line or several of a section: an option or, with a name that begins with #,
// a comment or an unparsed line.
type entry struct {
	name, value string
	section     *section // not nil if the name is a section
}

// section is one section, or the part of the file above the first.
type section struct {
	separator string
	entries   []entry
}

// File is an ini file.
type File struct {
	section
	// NoSpaces writes options without blanks around the separator.
	NoSpaces bool
}

var (
	heading  = regexp.MustCompile(`(?m)^\s*\[(.+?)\]\s*$`)
	comment  = regexp.MustCompile(`^\s*(#|;)\s*(.*)`)
	indented = regexp.MustCompile(`^(\s+)(.*)`)
)

// option matches an option with a separator.
func option(separator string) *regexp.Regexp {
	return regexp.MustCompile(`^(\s*)(.+?)\s*(` + regexp.QuoteMeta(separator) + `)\s*(.*)\s*`)
}

// Read parses a file. separator stands between name and value, such as "=".
func Read(s, separator string) *File {
	separator = strings.ToValidUTF8(separator, "\ufffd")
	f := &File{section: section{separator: separator}}
	s = strings.Join(text.Split(s, false), "\n")
	if s == "" {
		return f
	}
	marks := heading.FindAllStringSubmatchIndex(s, -1)
	end := len(s)
	if len(marks) > 0 {
		end = marks[0][0]
	}
	f.read(s[:end])
	for i, m := range marks {
		end := len(s)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		body := &section{separator: separator}
		body.read(s[m[1]:end])
		f.merge(s[m[2]:m[3]], body)
	}
	return f
}

// merge adds a section. An existing section gets the missing entries and the new values.
func (s *section) merge(name string, body *section) {
	i := s.find(name)
	if i < 0 {
		clean := &section{separator: s.separator}
		for _, e := range body.entries {
			clean.put(e.name, e.value)
		}
		s.entries = append(s.entries, entry{name: name, section: clean})
		return
	}
	old := s.entries[i].section
	if old == nil {
		s.entries[i] = entry{name: name, section: body}
		return
	}
	for _, e := range body.entries {
		old.put(e.name, e.value)
	}
}

func (s *section) find(name string) int {
	return slices.IndexFunc(s.entries, func(e entry) bool { return e.name == name })
}

func (s *section) put(name, v string) {
	if i := s.find(name); i >= 0 {
		s.entries[i] = entry{name: name, value: v}
		return
	}
	s.entries[s.place(name)] = entry{name: name, value: v}
}

// read parses the lines of a section.
func (s *section) read(body string) {
	body = strings.Trim(body, "\n")
	if body == "" {
		return
	}
	re := option(s.separator)
	comments, unknown, indent := 1, 1, ""
	for _, line := range strings.Split(body, "\n") {
		if comment.MatchString(line) {
			s.put("#comment"+strconv.Itoa(comments), line)
			comments++
			continue
		}
		if m := indented.FindStringSubmatch(line); m != nil {
			if strings.ReplaceAll(m[1], "\t", "    ") > indent {
				if n := len(s.entries); n > 0 {
					s.entries[n-1].value += "\n" + line
				}
				continue
			}
		}
		if m := re.FindStringSubmatch(line); m != nil {
			indent = strings.ReplaceAll(m[1], "\t", "    ")
			s.put(m[2], m[4])
			continue
		}
		s.put("#unknown"+strconv.Itoa(unknown), line)
		unknown++
	}
}

// place returns the position of a new option: that of its commented form, else the end.
func (s *section) place(name string) int {
	re := option(s.separator)
	at := slices.IndexFunc(s.entries, func(e entry) bool {
		m := re.FindStringSubmatch(strings.TrimLeft(e.value, "#"))
		return strings.Contains(e.name, "#comment") && m != nil && m[2] == name
	})
	if at < 0 {
		s.entries = append(s.entries, entry{})
		at = len(s.entries) - 1
	}
	return at
}

// values returns the options and sections, without comments.
func (s *section) values() *value.Map {
	out := value.NewMap()
	for _, e := range s.entries {
		switch {
		case strings.HasPrefix(e.name, "#"):
		case e.section != nil:
			out.Set(e.name, e.section.values())
		default:
			out.Set(e.name, e.value)
		}
	}
	return out
}

// Values returns the options above the first section, and the sections as maps.
func (f *File) Values() *value.Map { return f.values() }
