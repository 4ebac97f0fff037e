package modules

import (
	"context"
	"unicode/utf8"

	"github.com/momtree/mom/salt/text"
)

func init() {
	path := Arg{Name: "path", Required: true}
	pattern := Arg{Name: "pattern", Required: true}
	bufsize := Arg{Name: "bufsize", Default: int64(1)}
	ignore := Arg{Name: "ignore_if_missing", Default: false}
	backup := Arg{Name: "backup", Default: ".bak"}
	const buffer = `bufsize is ignored: a file is read whole.`
	Register("file",
		Function{Name: "replace", Args: []Arg{
			path,
			pattern,
			{Name: "repl", Required: true},
			{Name: "count", Default: int64(0)},
			{Name: "flags", Default: int64(8)},
			bufsize,
			{Name: "append_if_not_found", Default: false},
			{Name: "prepend_if_not_found", Default: false},
			{Name: "not_found_content"},
			backup,
			{Name: "dry_run", Default: false},
			{Name: "search_only", Default: false},
			{Name: "show_changes", Default: true},
			ignore,
			{Name: "preserve_inode", Default: true},
			{Name: "backslash_literal", Default: false},
		}, Run: fileReplace, Doc: `
Replace the matches of a Python regular expression (pattern) in the file path by
repl, in which \1 and so on are groups unless backslash_literal=True.

count is the most matches to replace, 0 means all. flags are names such as
MULTILINE, or a number as in Python. append_if_not_found=True or
prepend_if_not_found=True adds repl, or not_found_content, to a file without a
match. backup is the suffix of the backup file, False makes none;
preserve_inode=False replaces the file by a new one. dry_run=True changes nothing,
search_only=True only returns whether anything matches, ignore_if_missing=True
accepts a missing file. Returns the difference, or whether there is one with
show_changes=False. ` + buffer + `

CLI Example:

    salt '*' file.replace /etc/httpd/httpd.conf pattern='LogLevel warn' repl='LogLevel info'
`},
		Function{Name: "search", Args: []Arg{
			path,
			pattern,
			{Name: "flags", Default: int64(8)},
			bufsize,
			ignore,
			{Name: "multiline", Default: false},
		}, Run: fileSearch, Doc: `
Return whether a Python regular expression (pattern) matches in the file path.
flags are names such as IGNORECASE, or a number as in Python; multiline=True adds
MULTILINE. ignore_if_missing=True accepts a missing file. ` + buffer + `

CLI Example:

    salt '*' file.search /etc/crontab 'mymaintenance.sh'
`},
		Function{Name: "blockreplace", Args: []Arg{
			path,
			{Name: "marker_start", Default: "#-- start managed zone --"},
			{Name: "marker_end", Default: "#-- end managed zone --"},
			{Name: "content", Default: ""},
			{Name: "append_if_not_found", Default: false},
			{Name: "prepend_if_not_found", Default: false},
			backup,
			{Name: "dry_run", Default: false},
			{Name: "show_changes", Default: true},
			{Name: "append_newline", Default: false},
			{Name: "insert_before_match"},
			{Name: "insert_after_match"},
		}, Run: fileBlock, Doc: `
Replace the text between two marks in the file path by content: marker_start and
marker_end are parts of lines.

append_if_not_found=True or prepend_if_not_found=True adds a missing block at the
end or the beginning; insert_before_match and insert_after_match, a regular
expression, add it at the first matching line. append_newline=True adds a line end
to content, None only if it has none. backup is the suffix of the backup file,
False makes none. dry_run=True changes nothing. Returns the difference, or whether
there is one with show_changes=False.

CLI Example:

    salt '*' file.blockreplace /etc/hosts '#-- start zone --' '#-- end zone --' '10.0.1.1 foo.foobar' True
`},
	)
}

// replacedFile reads the file of file.replace and similar functions. missing is true if the
// file does not exist and need not.
func (c *Call) replacedFile() (body, real string, missing bool, err error) {
	path, err := c.filePath("path")
	if err != nil {
		return "", "", false, err
	}
	if absentPath(path) {
		if c.IsTrue("ignore_if_missing") {
			return "", "", true, nil
		}
		return "", "", false, InvocationErrorf("File not found: %s", realPath(path))
	}
	if body, real, err = editedFile(path); err != nil {
		return "", "", false, osFault(err)
	}
	if !text.IsText([]byte(body)) || !utf8.ValidString(body) {
		return "", "", false, InvocationErrorf("Cannot perform string replacements on a binary file: %s", real)
	}
	return body, real, false, nil
}

func fileReplace(_ context.Context, c *Call) (any, error) {
	count, err := c.Int("count")
	if err != nil {
		return nil, err
	}
	body, real, missing, err := c.replacedFile()
	if err != nil || missing {
		return false, err
	}
	o := text.ReplaceOptions{
		Pattern: c.Str("pattern"), Flags: c.Value("flags"), Repl: PyStr(c.Value("repl")), Literal: c.IsTrue("backslash_literal"),
		Count: int(count), Append: c.IsTrue("append_if_not_found"), Prepend: c.IsTrue("prepend_if_not_found"), NotFound: c.Str("not_found_content"),
	}
	if c.IsTrue("search_only") {
		if o.Append || o.Prepend {
			return nil, InvocationErrorf("search_only cannot be used with append/prepend_if_not_found")
		}
		found, err := text.Search(body, o.Pattern, o.Flags)
		return found, textFault(err)
	}
	edit, err := text.Replace(body, o)
	if err != nil {
		return nil, textFault(err)
	}
	if edit.Changed() && !c.IsTrue("dry_run") {
		if err := keepOld(real, c.Value("backup")); err != nil {
			return nil, err
		}
		if err := linkBackup(c.path("path"), c.Value("backup")); err != nil {
			return nil, err
		}
		if err := writeOver(real, edit.Text(), c.IsTrue("preserve_inode")); err != nil {
			return nil, osFault(err)
		}
	}
	return c.shown(edit), nil
}

// shown returns the result of an edit.
func (c *Call) shown(edit text.Edit) any {
	if c.IsTrue("show_changes") {
		return edit.Diff()
	}
	return edit.Changed()
}

func fileSearch(_ context.Context, c *Call) (any, error) {
	body, _, missing, err := c.replacedFile()
	if err != nil || missing {
		return false, err
	}
	flags := c.Value("flags")
	if c.IsTrue("multiline") {
		if n, ok := flags.(int64); ok {
			flags = n | 8
		} else if list, ok := flags.([]any); ok {
			flags = append([]any{"MULTILINE"}, list...)
		} else {
			flags = []any{"MULTILINE", flags}
		}
	}
	found, err := text.Search(body, c.Str("pattern"), flags)
	return found, textFault(err)
}

func fileBlock(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	if absentPath(path) {
		return nil, InvocationErrorf("File not found: %s", path)
	}
	for _, name := range []string{"insert_before_match", "insert_after_match"} {
		if v := c.Value(name); given(v) {
			if _, ok := v.(string); !ok {
				return nil, CommandErrorf("RegEx expected in %s parameter.", name)
			}
		}
	}
	if c.Str("marker_start") == "" || c.Str("marker_end") == "" {
		return nil, InvocationErrorf("marker_start and marker_end cannot be empty")
	}
	body, real, err := editedFile(path)
	if err != nil {
		return nil, osFault(err)
	}
	if !utf8.ValidString(body) {
		return nil, InvocationErrorf("Cannot perform string replacements on a binary file: %s", path)
	}
	var newline *bool
	if v := c.Value("append_newline"); v != nil {
		b := isTrue(v)
		newline = &b
	}
	edit, err := text.Block(body, text.BlockOptions{
		Start: c.Str("marker_start"), End: c.Str("marker_end"), Content: c.Str("content"), Newline: text.NewlineFor(newline, c.Str("content")),
		Append: c.IsTrue("append_if_not_found"), Prepend: c.IsTrue("prepend_if_not_found"),
		InsertBefore: c.Str("insert_before_match"), InsertAfter: c.Str("insert_after_match"),
	})
	if err != nil {
		return nil, textFault(err)
	}
	if edit.Changed() && !c.IsTrue("dry_run") {
		if err := keepOld(real, c.Value("backup")); err != nil {
			return nil, err
		}
		if err := writeOver(real, edit.Text(), false); err != nil {
			return nil, osFault(err)
		}
	}
	return c.shown(edit), nil
}
