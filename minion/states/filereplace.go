package states

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/difflib"
	core "github.com/momtree/mom/internal/states"
)

func fileReplace(_ context.Context, c *Call) (*core.Result, error) {
	name := expand(c.Name())
	if name == "" {
		return bad(name, "Must provide name to file.replace"), nil
	}
	if msg, missing := editable(name); msg != "" {
		if missing && c.Truth("ignore_if_missing") {
			return good(name, "No changes needed to be made"), nil
		}
		return bad(name, "%s", msg), nil
	}
	if c.Truth("append_if_not_found") && c.Truth("prepend_if_not_found") {
		return nil, fmt.Errorf("Only one of append and prepend_if_not_found is permitted")
	}
	text, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	if !isText([]byte(text)) {
		return nil, fmt.Errorf("Cannot perform string replacements on a binary file: %s", name)
	}
	if !utf8.ValidString(text) {
		return bad(name, "%s is no UTF-8: it is not edited", name), nil
	}
	after, err := c.replaced(text)
	if err != nil {
		return nil, err
	}
	res := good(name, "No changes needed to be made")
	if after == text {
		return res, nil
	}
	res.Changes.Set("diff", difflib.Text(text, after))
	if !c.Truth("show_changes") {
		res.Changes.Set("diff", true)
	}
	if c.Test {
		res.Result, res.Comment = nil, "Changes would have been made"
		return res, nil
	}
	if err := c.rewrite(name, after, c.Value("backup")); err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	res.Comment = "Changes were made"
	return res, nil
}

// replaced is the text after the replacement.
func (c *Call) replaced(text string) (string, error) {
	re, err := compileRegex(pystr(c.Value("pattern")), c.Value("flags"))
	if err != nil {
		return "", err
	}
	repl := pystr(c.Value("repl"))
	after, n, err := substitute(re, repl, text, int(c.Args.Int("count")), c.Truth("backslash_literal"))
	if err != nil || n > 0 || !c.Truth("append_if_not_found") && !c.Truth("prepend_if_not_found") {
		return after, err
	}
	content := repl
	if c.Truth("not_found_content") {
		content = pystr(c.Value("not_found_content"))
	}
	whole, err := compileRegex("^"+regexp.QuoteMeta(content)+"($|(?=\r\n))", c.Value("flags"))
	if err != nil {
		return "", err
	}
	if there, err := whole.MatchString(text); err != nil || there {
		return text, err
	}
	if c.Truth("prepend_if_not_found") {
		return content + "\n" + text, nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + content + "\n", nil
}

var anchored = regexp.MustCompile(`^(\(\?[iLmsux]\))?\^?(.*?)\$?$`)

// found tells whether a regular expression matches somewhere in a text.
func found(text, pattern string) (bool, error) {
	re, err := compileRegex(pattern, int64(8))
	if err != nil {
		return false, err
	}
	return re.MatchString(text)
}

func fileComment(_ context.Context, c *Call) (*core.Result, error) {
	name, regex, char := expand(c.Name()), c.Str("regex"), c.Str("char")
	if name == "" {
		return bad(name, "Must provide name to file.comment"), nil
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	text, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	bare := anchored.ReplaceAllString(regex, "$2")
	open, err := found(text, `^(?!\s*`+char+`).*`+bare)
	if err != nil {
		return nil, err
	}
	if !open {
		done, err := found(text, char+bare)
		switch {
		case err != nil:
			return nil, err
		case done:
			return good(name, "Pattern already commented"), nil
		case c.Truth("ignore_missing"):
			return good(name, "Pattern not found and ignore_missing set to True"), nil
		}
		return bad(name, "%s: Pattern not found", bare), nil
	}
	pattern := "(" + strings.TrimRight(strings.TrimLeft(regex, "^"), "$") + ")"
	if strings.HasPrefix(regex, "^") {
		pattern = "^" + pattern
	}
	return c.recomment(name, text, pattern+dollar(regex), func(line string) string { return char + line },
		char+bare, "Commented lines successfully", "Expected commented lines not found")
}

func dollar(regex string) string {
	if strings.HasSuffix(regex, "$") {
		return "$"
	}
	return ""
}

func fileUncomment(_ context.Context, c *Call) (*core.Result, error) {
	name, regex, char := expand(c.Name()), c.Str("regex"), c.Str("char")
	if name == "" {
		return bad(name, "Must provide name to file.uncomment"), nil
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	text, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	rest := strings.TrimLeft(regex, "^")
	closed, err := found(text, char+"[ \t]*"+rest)
	if err != nil {
		return nil, err
	}
	if !closed {
		done, err := found(text, "^[ \t]*"+rest)
		if err != nil {
			return nil, err
		}
		if done {
			return good(name, "Pattern already uncommented"), nil
		}
		return bad(name, "%s: Pattern not found", regex), nil
	}
	pattern := "^" + char + `\s*(` + strings.TrimRight(rest, "$") + ")" + dollar(regex)
	return c.recomment(name, text, pattern, func(line string) string { return strings.TrimLeft(line, char) },
		"^[ \t]*"+rest, "Uncommented lines successfully", "Expected uncommented lines not found")
}

// recomment changes the lines that begin with a match, and tells whether what was wanted
// is there afterwards.
func (c *Call) recomment(name, text, pattern string, change func(line string) string, want, done, failed string) (*core.Result, error) {
	res := good(name, done)
	if c.Test {
		res.Result, res.Comment = nil, fmt.Sprintf("File %s is set to be updated", name)
		res.Changes.Set(name, "updated")
		return res, nil
	}
	re, err := compileRegex(`\A(?:`+pattern+")", int64(0))
	if err != nil {
		return nil, err
	}
	lines := difflib.Lines(text)
	after := make([]string, len(lines))
	for i, l := range lines {
		m, err := re.MatchString(l)
		if err != nil {
			return nil, err
		}
		if after[i] = l; m {
			after[i] = change(l)
		}
	}
	now := strings.Join(after, "")
	if now != text {
		if err := c.rewrite(name, now, c.Value("backup")); err != nil {
			return bad(name, "%s", osError(err)), nil
		}
		res.Changes.Set("diff", lineDiff(lines, after, "", !isText([]byte(text))))
	}
	right, err := found(now, want)
	if err != nil {
		return nil, err
	}
	if !right {
		res.Result, res.Comment = false, failed
	}
	return res, nil
}
