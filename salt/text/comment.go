package text

import (
	"strings"
)

// CommentOptions configure [Comment].
type CommentOptions struct {
	// Regex matches the start of a line without the comment sign. A leading ^ and a
	// trailing $ are allowed.
	Regex string
	// Char is the comment sign.
	Char string
	// Uncomment removes the sign. Char is then a regular expression.
	Uncomment bool
}

// Comment comments out the lines that match, or removes their sign. found reports whether
// any line matched; the difference shows only these lines. Lines end with \n.
func Comment(s string, o CommentOptions) (e Edit, found bool, err error) {
	core := strings.TrimRight(strings.TrimLeft(o.Regex, "^"), "$")
	pattern := "(" + core + ")"
	if o.Uncomment {
		pattern = "^" + o.Char + `\s*` + pattern
	} else if strings.HasPrefix(o.Regex, "^") {
		pattern = "^" + pattern
	}
	if strings.HasSuffix(o.Regex, "$") {
		pattern += "$"
	}
	re, err := Compile(`\A(?:`+pattern+")", int64(0))
	if err != nil {
		return Edit{}, false, err
	}
	var b strings.Builder
	for _, l := range DiffLines(s) {
		hit, err := re.Match(l)
		if err != nil {
			return Edit{}, false, err
		}
		if !hit {
			b.WriteString(l)
			continue
		}
		now := o.Char + l
		if o.Uncomment {
			now = strings.TrimLeft(l, o.Char)
		}
		e.before, e.after = append(e.before, l), append(e.after, now)
		b.WriteString(now)
	}
	e.text = b.String()
	e.changed = e.text != s
	return e, len(e.before) > 0, nil
}
