package text

import (
	"slices"
	"strings"
)

// BlockOptions configure [Block].
type BlockOptions struct {
	// Start and End are substrings of the lines that mark the block.
	Start, End string
	// Content is the text between them.
	Content string
	// Append and Prepend add a missing block at the end or the beginning of the text.
	Append, Prepend bool
	// InsertBefore and InsertAfter are regular expressions: a missing block is added at the
	// first line they match. "" means not given. Only one of these four options may be set.
	InsertBefore, InsertAfter string
	// Newline adds a line end after Content; see [NewlineFor].
	Newline bool
}

// NewlineFor evaluates the option append_newline: true, false, or nil to add a line end to
// a content that has none.
func NewlineFor(given *bool, content string) bool {
	if given == nil {
		return !strings.HasSuffix(content, "\n")
	}
	return *given
}

// Block replaces the text between two marks. The line of Start stays whole; on the line of
// End, the text before the mark is removed. Line ends are those of the text's first line.
// Lines end with \n, \r or \r\n.
func Block(s string, o BlockOptions) (Edit, error) {
	given := 0
	for _, set := range []bool{o.Append, o.Prepend, o.InsertBefore != "", o.InsertAfter != ""} {
		if set {
			given++
		}
	}
	if given > 1 {
		return Edit{}, misuse("Only one of append_if_not_found, prepend_if_not_found, insert_before_match, and insert_after_match is permitted")
	}
	b := block{BlockOptions: o, eol: "\n"}
	before := rawLines(s)
	if len(before) > 0 && strings.HasSuffix(before[0], "\r\n") {
		b.eol = "\r\n"
	}
	after, found, err := b.replace(before)
	if err != nil {
		return Edit{}, err
	}
	if !found {
		if after, err = b.add(before); err != nil {
			return Edit{}, err
		}
	}
	return edited(before, after), nil
}

type block struct {
	BlockOptions
	eol string
}

// replace replaces the content of existing blocks.
func (b *block) replace(lines []string) (after []string, found bool, err error) {
	inside := false
	for _, l := range lines {
		switch {
		case strings.Contains(l, b.Start):
			inside = true
			after = append(after, l)
		case !inside:
			after = append(after, l)
		default:
			if at := strings.Index(l, b.End); at >= 0 {
				inside, found = false, true
				after = append(after, b.body(l[at:])...)
			}
		}
	}
	if inside {
		return nil, false, refuse("Unterminated marked block. End of file reached before marker_end.")
	}
	return after, found, nil
}

// body returns the content with the line that ends the block.
func (b *block) body(end string) []string {
	end = strings.TrimRight(end, "\r\n") + b.eol
	lines := strings.Split(strings.ReplaceAll(b.Content, "\r\n", "\n"), "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] += b.eol
	}
	last := len(lines) - 1
	if b.Newline {
		lines[last] += b.eol
		return append(lines, end)
	}
	lines[last] += end
	return lines
}

// add inserts a missing block.
func (b *block) add(lines []string) ([]string, error) {
	whole := append([]string{b.Start + b.eol}, b.body(b.End)...)
	after := slices.Clone(lines)
	switch pattern := b.InsertBefore + b.InsertAfter; {
	case b.Prepend:
		return append(whole, after...), nil
	case b.Append:
		if n := len(after); n > 0 && !strings.HasSuffix(after[n-1], b.eol) {
			after[n-1] += b.eol
		}
		return append(after, whole...), nil
	case pattern != "":
		re, err := Compile(pattern, int64(0))
		if err != nil {
			return nil, err
		}
		for i, l := range after {
			hit, err := re.Match(l)
			if err != nil {
				return nil, err
			}
			if hit {
				if b.InsertAfter != "" {
					i++
				}
				return slices.Insert(after, i, whole...), nil
			}
		}
	}
	return nil, refuse("Cannot edit marked block. Markers were not found in file.")
}
