package text

import "strings"

// ReplaceOptions are what [Replace] does.
type ReplaceOptions struct {
	// Pattern is a regular expression, and Flags its flags: nil, a number of Python's,
	// a name or a list of names.
	Pattern string
	Flags   any
	// Repl is what is put in the place of a match, with \1 and its like unless Literal.
	Repl    string
	Literal bool
	// Count is how many matches are replaced: 0 all, less than that none.
	Count int
	// Append and Prepend add NotFound ("": Repl) at the end or the beginning of a text
	// in which nothing matches and which does not have it. Only one may be set.
	Append, Prepend bool
	NotFound        string
}

// Replace replaces what a regular expression matches. Line ends are left as they are.
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

// Search tells whether a regular expression of these flags matches somewhere in a text.
func Search(s, pattern string, flags any) (bool, error) {
	re, err := Compile(pattern, flags)
	if err != nil {
		return false, err
	}
	return re.Match(s)
}
