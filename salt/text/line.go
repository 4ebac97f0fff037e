package text

import (
	"slices"
	"strings"
)

// LineOptions configure [Line].
type LineOptions struct {
	// Mode is ensure, insert, replace or delete, in any case; "" means not given.
	Mode string
	// Content is the line; nil only with delete.
	Content *string
	// Match selects the line to replace or delete: a regular expression, or a part of the
	// line. "" means Content, unless Before or After is given.
	Match string
	// Location is start or end, with insert. Other values do nothing, as in Salt.
	Location string
	// Before and After select the neighbours of the line, like Match. nil means not given.
	Before, After *string
	// NoIndent keeps the indentation of Content. Otherwise the line gets that of its
	// neighbour.
	NoIndent bool
}

// lineEdit is one run of Line.
type lineEdit struct {
	LineOptions
	lines []string
	// content is the line, if the mode has one.
	content string
	// The lines found; nil if not searched for.
	match, before, after []string
}

// Line edits one line of a text. Lines end with \n, \r or \r\n; an added line ends like its
// neighbour. The error is an [Error], or a search that took too long.
func Line(s string, o LineOptions) (Edit, error) {
	o.Mode = strings.ToLower(o.Mode)
	switch {
	case o.Mode == "":
		return Edit{}, refuse("Mode was not defined. How to process the file?")
	case !slices.Contains([]string{"insert", "ensure", "delete", "replace"}, o.Mode):
		return Edit{}, refuse(`Unknown mode: "%s"`, o.Mode)
	case o.Content == nil && o.Mode != "delete":
		return Edit{}, refuse(`Content can only be empty if mode is "delete"`)
	}
	e := lineEdit{LineOptions: o}
	if o.Content != nil {
		e.content = *o.Content
	}
	if o.Match == "" && o.Before == nil && o.After == nil {
		e.Match = e.content
	}
	e.lines = rawLines(s)
	if len(e.lines) > 0 && lineEnd(e.lines[len(e.lines)-1]) != "" {
		e.lines = append(e.lines, "") // the text after the last line end
	}
	if err := e.find(); err != nil {
		return Edit{}, err
	}
	if err := e.run(); err != nil {
		return Edit{}, err
	}
	e.end()
	after := strings.Join(e.lines, "")
	return Edit{text: after, before: Split(s, true), after: e.lines, changed: after != s}, nil
}

func (e *lineEdit) find() (err error) {
	for _, f := range []struct {
		pattern *string
		found   *[]string
	}{{e.After, &e.after}, {e.Before, &e.before}, {&e.Match, &e.match}} {
		if len(e.lines) == 0 || f.pattern == nil || *f.pattern == "" {
			continue
		}
		re, err := Compile(*f.pattern, "DOTALL")
		if err != nil {
			return err
		}
		*f.found = []string{}
		for _, l := range e.lines {
			hit, err := re.Match(l)
			if err != nil {
				return err
			}
			if hit || strings.Contains(l, *f.pattern) {
				*f.found = append(*f.found, l)
			}
		}
	}
	return nil
}

// once returns an error unless exactly one line was found.
func once(found []string, what string) error {
	switch {
	case len(found) > 1:
		return refuse(`Found more than expected occurrences in "%s" expression`, what)
	case len(found) < 1:
		return refuse(`Found less than expected occurrences in "%s" expression`, what)
	}
	return nil
}

func (e *lineEdit) run() error {
	switch e.Mode {
	case "delete":
		if len(e.match) > 0 {
			gone := e.match[0]
			e.lines = slices.DeleteFunc(e.lines, func(l string) bool { return l == gone })
		}
	case "replace":
		if len(e.match) > 0 {
			at := slices.Index(e.lines, e.match[0])
			e.lines[at] = e.indented(e.lines[at])
		}
	case "insert":
		return e.insert()
	case "ensure":
		return e.ensure()
	}
	return nil
}

func (e *lineEdit) insert() error {
	switch {
	case e.Location == "" && e.before == nil && e.after == nil:
		return refuse(`On insert either "location" or "before/after" conditions are required.`)
	case e.Location != "":
		e.locate()
		return nil
	case len(e.before) > 0 && len(e.after) > 0:
		if err := orElse(once(e.before, "before"), once(e.after, "after")); err != nil {
			return err
		}
		e.put(slices.Index(e.lines, e.before[0]), e.before[0])
		return nil
	}
	return e.beside("Neither before or after was found in file")
}

func orElse(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// locate puts the line at the start or end of the text.
func (e *lineEdit) locate() {
	switch {
	case e.Location == "end" && len(e.lines) > 0:
		e.put(len(e.lines), e.lines[len(e.lines)-1])
	case e.Location == "end":
		e.lines = []string{e.content}
	case e.Location == "start" && len(e.lines) > 0:
		e.lines = slices.Insert(e.lines, 0, ended(e.content, e.lines[0]))
	case e.Location == "start":
		e.lines = []string{e.content + "\n"}
	}
}

// beside puts the line after or before a neighbour, unless it is already there.
func (e *lineEdit) beside(nowhere string) error {
	want := bare(e.content)
	switch {
	case len(e.after) > 0:
		if err := once(e.after, "after"); err != nil {
			return err
		}
		at := slices.Index(e.lines, e.after[0])
		if at+1 >= len(e.lines) || bare(e.lines[at+1]) != want {
			e.put(at+1, e.lines[at])
		}
	case len(e.before) > 0:
		if err := once(e.before, "before"); err != nil {
			return err
		}
		at := slices.Index(e.lines, e.before[0])
		// As in Salt, the line before the first one is the last one.
		above := e.lines[(at+len(e.lines)-1)%len(e.lines)]
		there := bare(above) == want
		if e.Mode == "ensure" && at == 0 {
			there = false
		}
		like := e.lines[at]
		if e.Mode == "ensure" {
			like = above
		}
		if !there {
			e.put(at, like)
		}
	default:
		return refuse("%s", nowhere)
	}
	return nil
}

func (e *lineEdit) ensure() error {
	if len(e.before) == 0 || len(e.after) == 0 {
		if len(e.before) > 0 {
			e.after = nil
		}
		return e.beside("Wrong conditions? Unable to ensure line without knowing where to put it before and/or after.")
	}
	if err := orElse(once(e.after, "after"), once(e.before, "before")); err != nil {
		return err
	}
	for _, l := range e.lines {
		if strings.TrimLeftFunc(l, pySpace) == e.content {
			return nil
		}
	}
	from, to := slices.Index(e.lines, e.after[0]), slices.Index(e.lines, e.before[0])
	switch to - from {
	case 1:
		e.put(from+1, e.lines[from])
	case 2:
		e.lines[from+1] = e.indented(e.lines[from])
	default:
		return refuse(`Found more than one line between boundaries "before" and "after".`)
	}
	return nil
}

// put inserts the line with the indentation of like.
func (e *lineEdit) put(at int, like string) { e.lines = slices.Insert(e.lines, at, e.indented(like)) }

func (e *lineEdit) indented(like string) string {
	if e.NoIndent {
		return e.content
	}
	return like[:len(like)-len(strings.TrimLeft(like, " \t"))] + strings.TrimLeftFunc(e.content, pySpace)
}

func bare(l string) string { return strings.TrimRight(l, "\r\n") }

// ended returns a line with the line end of like.
func ended(l, like string) string {
	end := lineEnd(like)
	if end == "" {
		end = "\n"
	}
	return strings.TrimRightFunc(l, pySpace) + end
}

// end adds the line end to each line but the last.
func (e *lineEdit) end() {
	for i, l := range e.lines {
		if lineEnd(l) == "" && i+1 < len(e.lines) {
			e.lines[i] = ended(l, e.lines[max(i-1, 1)])
		}
	}
	if n := len(e.lines); n > 0 && e.lines[n-1] == "" {
		e.lines = e.lines[:n-1]
	}
}

// pySpace reports whether Python's strip removes r.
func pySpace(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x1f, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}
