package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/momtree/mom/salt/text"
)

func init() {
	path := Arg{Name: "path", Required: true}
	regex, char := Arg{Name: "regex", Required: true}, Arg{Name: "char", Default: "#"}
	backup := Arg{Name: "backup", Default: ".bak"}
	const kept = `backup is the suffix of the backup file, False makes none.`
	Register("file",
		Function{Name: "line", Args: []Arg{
			path,
			{Name: "content"},
			{Name: "match"},
			{Name: "mode"},
			{Name: "location"},
			{Name: "before"},
			{Name: "after"},
			{Name: "show_changes", Default: true},
			{Name: "backup", Default: false},
			{Name: "quiet", Default: false},
			{Name: "indent", Default: true},
		}, Run: fileLine, Doc: `
Edit one line of the file path: content is the line. mode is one of:

    ensure    put content before or after another line, or between both, unless it
              is there already
    insert    put content before or after another line, or at location: start or
              end
    replace   replace the first line with match by content
    delete    remove the lines equal to the first line with match

before, after and match are regular expressions, or parts of a line; without any
of them match is content. indent=False does not indent content. backup=True
keeps the old file under its name and the time. quiet=True does nothing if the
file does not exist. Returns the difference, or whether there is one with
show_changes=False.

CLI Example:

    salt '*' file.line /etc/nsswitch.conf "networks: files dns" after="hosts:.*?" mode=ensure
`},
		Function{Name: "comment_line", Args: []Arg{path, regex, char, {Name: "cmnt", Default: true}, backup}, Run: fileCommentLine, Doc: `
Comment out the lines of the file path whose beginning matches a regular
expression (regex): prepend char, or remove it with cmnt=False. ` + kept + `
Returns the difference of these lines, False if they are equal.

CLI Example:

    salt '*' file.comment_line /etc/modules '^pcspkr'
`},
		Function{Name: "comment", Args: []Arg{path, regex, char, backup}, Run: fileCommentLine, Doc: `
Comment out the lines of the file path whose beginning matches a regular
expression (regex): prepend char. ` + kept + `

CLI Example:

    salt '*' file.comment /etc/modules pcspkr
`},
		Function{Name: "uncomment", Args: []Arg{path, regex, char, backup}, Run: fileCommentLine, Doc: `
Remove the comment sign (char) from the lines of the file path that match a
regular expression (regex) after it. ` + kept + `

CLI Example:

    salt '*' file.uncomment /etc/hosts.deny 'ALL: PARANOID'
`},
	)
}

// optional returns an argument as a string, nil for None.
func optional(c *Call, name string) *string { return c.textArg(name) }

// editedFile reads a file for line edits. It returns the text, and the path with links
// resolved.
func editedFile(path string) (body, real string, err error) {
	real = realPath(path)
	body, err = readWhole(real)
	return body, real, err
}

// regular reports whether a path is a regular file; links are followed.
func regular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func fileLine(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	if !regular(path) {
		if c.IsTrue("quiet") {
			return false, nil
		}
		return nil, CommandErrorf(`File "%s" does not exists or is not a file.`, realPath(path))
	}
	body, real, err := editedFile(path)
	if err != nil {
		return nil, osFault(err)
	}
	if !utf8.ValidString(body) {
		return nil, CommandErrorf("%s is not UTF-8 and cannot be edited", real)
	}
	edit, err := text.Line(body, text.LineOptions{
		Mode: c.Str("mode"), Content: optional(c, "content"), Match: c.Str("match"), Location: c.Str("location"),
		Before: optional(c, "before"), After: optional(c, "after"), NoIndent: !c.IsTrue("indent"),
	})
	if err != nil || !edit.Changed() {
		return false, textFault(err)
	}
	if !c.testRun() {
		if c.IsTrue("backup") {
			if err := copyAs(real, real+"."+time.Now().Format("2006-01-02-15-04-05")); err != nil {
				return nil, CommandErrorf("Unable to create the backup file of %s. Exception: %s", real, pythonOSError(err))
			}
		}
		if err := writeOver(real, edit.Text(), false); err != nil {
			return nil, osFault(err)
		}
	}
	if diff := edit.Diff(); c.IsTrue("show_changes") && diff != "" {
		return diff, nil
	}
	return true, nil
}

// testRun reports whether the minion only shows what would change.
func (c *Call) testRun() bool { return c.Env != nil && isTrue(c.Env.Option("test")) }

func fileCommentLine(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	if !regular(path) {
		return nil, InvocationErrorf("File not found: %s", realPath(path))
	}
	body, real, err := editedFile(path)
	if err != nil {
		return nil, osFault(err)
	}
	if !text.IsText([]byte(body)) || !utf8.ValidString(body) {
		return nil, InvocationErrorf("Cannot perform string replacements on a binary file: %s", real)
	}
	uncomment := c.fn.Name == "uncomment" || c.fn.Name == "comment_line" && !c.IsTrue("cmnt")
	edit, found, err := text.Comment(body, text.CommentOptions{Regex: c.Str("regex"), Char: c.Str("char"), Uncomment: uncomment})
	if err != nil || !found {
		return false, textFault(err)
	}
	if err := keepOld(real, c.Value("backup")); err != nil {
		return nil, err
	}
	if err := writeOver(real, edit.Text(), false); err != nil {
		return nil, osFault(err)
	}
	return edit.Diff(), nil
}

// absentPath reports whether a path does not exist.
func absentPath(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// linkBackup creates a link to the backup beside an edited link.
func linkBackup(path string, ending any) error {
	to, err := os.Readlink(path)
	if err != nil || ending == nil || ending == false || ending == "" {
		return nil //nolint:nilerr // not a link
	}
	name := filepath.Clean(path) + PyStr(ending)
	if st, err := os.Lstat(name); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		_ = os.Remove(name) // of an earlier edit
	}
	return osFault(os.Symlink(to+PyStr(ending), name))
}
