package text

import "strings"

// ReplaceOptions configure [Replace].
type ReplaceOptions struct {
	// Pattern is a regular expression. Flags are nil, a number as in Python, a name or a
	// list of names.
	Pattern string
	Flags   any
	// replaces a match; may refer to groups as \1 unless Literal
	Repl    string
	Literal bool
	// Count is the most matches to replace: 0 means all, a negative number none.
	Count int
	// Append and Prepend add NotFound ("": Repl) at the end or the beginning of a text that
	// has no match and does not contain it. Only one may be set.
	Append, Prepend bool
	NotFound        string
}

// Replace replaces the matches of a regular expression. It keeps line ends.
func Replace(s string, o ReplaceOptions) (Edit, error) {
	if o.Append && o.Prepend {
		return Edit{}, misuse("Only one of append and prepend_if_not_found is permitted")
	}
	re, err := Compile(o.Pattern, o.Flags)
	if err != nil {
		return Edit{}, err
	}
	after, n, err := re.Replace(o.Repl, s, o.Count, o.Literal)
	if err != nil {
		return Edit{}, err
	}
	if n == 0 && (o.Append || o.Prepend) {
		if after, err = addMissing(s, o); err != nil {
			return Edit{}, err
		}
	}
	return edited(rawLines(s), rawLines(after)), nil
}

func addMissing(s string, o ReplaceOptions) (string, error) {
	content := o.Repl
	if o.NotFound != "" {
		content = o.NotFound
	}
	whole, err := Compile("^"+Quote(content)+"($|(?=\r\n))", o.Flags)
	if err != nil {
		return "", err
	}
	if there, err := whole.Match(s); err != nil || there {
		return s, err
	}
	if o.Prepend {
		return content + "\n" + s, nil
	}
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s + content + "\n", nil
}

// Search reports whether a regular expression matches somewhere in a text.
func Search(s, pattern string, flags any) (bool, error) {
	re, err := Compile(pattern, flags)
	if err != nil {
		return false, err
	}
	return re.Match(s)
}
