package text

import (
	"strings"
)

// CommentOptions are what [Comment] does.
type CommentOptions struct {
	// Regex matches the lines from their beginning, without the sign. A ^ before it and
	// a $ behind it are allowed.
	Regex string
	// Char is the sign that makes a line a comment.
	Char string
	// Uncomment takes the sign away; it is a regular expression too then.
	Uncomment bool
}

// Comment makes comments of the lines that match, or takes their sign away. found tells
// whether any matched; the difference is that of these lines alone. Lines end at \n.
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
