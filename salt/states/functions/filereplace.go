package functions

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/text"
)

func fileReplace(_ context.Context, c *Call) (*states.Result, error) {
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
	if isDir(name) {
		return nil, fmt.Errorf("Cannot perform string replacements on a binary file: %s", name)
	}
	body, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	if !text.IsText([]byte(body)) {
		return nil, fmt.Errorf("Cannot perform string replacements on a binary file: %s", name)
	}
	if !utf8.ValidString(body) {
		return bad(name, "%s is no UTF-8: it is not edited", name), nil
	}
	o := text.ReplaceOptions{
		Pattern: pystr(c.Value("pattern")), Flags: c.Value("flags"), Repl: pystr(c.Value("repl")), Literal: c.Truth("backslash_literal"),
		Count: int(c.Args.Int("count")), Append: c.Truth("append_if_not_found"), Prepend: c.Truth("prepend_if_not_found"),
	}
	if c.Truth("not_found_content") {
		o.NotFound = pystr(c.Value("not_found_content"))
	}
	edit, err := text.Replace(body, o)
	if err != nil {
		return nil, err
	}
	res := good(name, "No changes needed to be made")
	if !edit.Changed() {
		return res, nil
	}
	res.Changes.Set("diff", edit.Diff())
	if !c.Truth("show_changes") {
		res.Changes.Set("diff", true)
	}
	if c.Test {
		res.Result, res.Comment = nil, "Changes would have been made"
		return res, nil
	}
	if err := c.rewrite(name, edit.Text(), c.Value("backup")); err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	res.Comment = "Changes were made"
	return res, nil
}

var anchored = regexp.MustCompile(`^(\(\?[iLmsux]\))?\^?(.*?)\$?$`)

// found tells whether a regular expression matches somewhere in a text.
func found(body, pattern string) (bool, error) { return text.Search(body, pattern, nil) }

func fileComment(_ context.Context, c *Call) (*states.Result, error) {
	name, regex, char := expand(c.Name()), c.Str("regex"), c.Str("char")
	if name == "" {
		return bad(name, "Must provide name to file.comment"), nil
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	body, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	bare := anchored.ReplaceAllString(regex, "$2")
	open, err := found(body, `^(?!\s*`+char+`).*`+bare)
	if err != nil {
		return nil, err
	}
	if !open {
		done, err := found(body, char+bare)
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
	o := text.CommentOptions{Regex: regex, Char: char}
	return c.recomment(name, body, o, char+bare, "Commented lines successfully", "Expected commented lines not found")
}

func fileUncomment(_ context.Context, c *Call) (*states.Result, error) {
	name, regex, char := expand(c.Name()), c.Str("regex"), c.Str("char")
	if name == "" {
		return bad(name, "Must provide name to file.uncomment"), nil
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	body, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	rest := strings.TrimLeft(regex, "^")
	closed, err := found(body, char+"[ \t]*"+rest)
	if err != nil {
		return nil, err
	}
	if !closed {
		done, err := found(body, "^[ \t]*"+rest)
		if err != nil {
			return nil, err
		}
		if done {
			return good(name, "Pattern already uncommented"), nil
		}
		return bad(name, "%s: Pattern not found", regex), nil
	}
	o := text.CommentOptions{Regex: regex, Char: char, Uncomment: true}
	return c.recomment(name, body, o, "^[ \t]*"+rest, "Uncommented lines successfully", "Expected uncommented lines not found")
}

// recomment changes the lines that begin with a match, and tells whether what was wanted
// is there afterwards.
func (c *Call) recomment(name, body string, o text.CommentOptions, want, done, failed string) (*states.Result, error) {
	res := good(name, done)
	if c.Test {
		res.Result, res.Comment = nil, fmt.Sprintf("File %s is set to be updated", name)
		res.Changes.Set(name, "updated")
		return res, nil
	}
	edit, _, err := text.Comment(body, o)
	if err != nil {
		return nil, err
	}
	if edit.Changed() {
		if err := c.rewrite(name, edit.Text(), c.Value("backup")); err != nil {
			return bad(name, "%s", osError(err)), nil
		}
		res.Changes.Set("diff", lineDiff(text.DiffLines(body), text.DiffLines(edit.Text()), "", !text.IsText([]byte(body))))
	}
	right, err := found(edit.Text(), want)
	if err != nil {
		return nil, err
	}
	if !right {
		res.Result, res.Comment = false, failed
	}
	return res, nil
}
