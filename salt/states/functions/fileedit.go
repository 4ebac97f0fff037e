package functions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/text"
	"github.com/momtree/mom/value"
)

func init() {
	texts := []any{"text", nil, "makedirs", false, "source", nil, "source_hash", nil, "template", "jinja", "sources", nil, "source_hashes", nil, "defaults", nil, "context", nil}
	comment := args([]string{"name", "regex"}, "char", "#", "backup", ".bak")
	const textsDoc = `
text
    A text, or a list of lines.
source, sources, template, defaults, context
    Or files that it is in, rendered with jinja.
makedirs : False
    Makes the folders above the file.
`
	Register("file",
		Function{Name: "append", Spec: states.Spec{Args: args(onlyName, append(texts, "ignore_whitespace", true)...)}, Run: fileAppend, Doc: "\nAdds lines to the end of a file that has them not; ignore_whitespace takes white space as equal.\n" + textsDoc},
		Function{Name: "prepend", Spec: states.Spec{Args: args(onlyName, append(texts, "header", nil)...)}, Run: filePrepend, Doc: "\nAdds lines to the beginning of a file that has them not; header wants them there, wherever else they are.\n" + textsDoc},
		Function{Name: "replace", Spec: states.Spec{Args: args([]string{"name", "pattern", "repl"}, "count", int64(0), "flags", int64(8), "bufsize", int64(1),
			"append_if_not_found", false, "prepend_if_not_found", false, "not_found_content", nil, "backup", ".bak", "show_changes", true,
			"ignore_if_missing", false, "backslash_literal", false)}, Run: fileReplace, Doc: `
Replaces what a regular expression (pattern) of Python's matches in a file by a text
(repl, with \1 and its like unless backslash_literal).

count : 0
    At most so many times; 0 is all.
flags : 8
    Names such as MULTILINE, or Python's number.
append_if_not_found, prepend_if_not_found, not_found_content
    Adds repl, or another text, where nothing matches.
backup : .bak
    The ending of the file that keeps the old one; False keeps none.
show_changes, ignore_if_missing
    Shows the difference; a file that is not there is right.
`},
		Function{Name: "comment", Spec: states.Spec{Args: append(comment, args(nil, "ignore_missing", false)...)}, Run: fileComment, Doc: "\nPuts a comment sign (char) before the lines that a regular expression (regex) matches. backup is the ending of the file that keeps the old one.\n"},
		Function{Name: "uncomment", Spec: states.Spec{Args: comment}, Run: fileUncomment, Doc: "\nTakes the comment sign (char) from the lines that a regular expression (regex) matches. backup is the ending of the file that keeps the old one.\n"},
	)
}

// editable refuses a path that is no file to be edited; missing tells that it is not
// there.
func editable(name string) (msg string, missing bool) {
	switch {
	case !filepath.IsAbs(name):
		return fmt.Sprintf("Specified file %s is not an absolute path", name), false
	case !exists(name):
		return fmt.Sprintf("%s: file not found", name), true
	}
	return "", false
}

// readEdited reads a file that is edited in memory.
func readEdited(name string) (string, error) {
	data, more, err := readSome(name)
	if more {
		return "", fmt.Errorf("%s is larger than %d bytes: it is not edited", name, maxDiff)
	}
	return string(data), err
}

// rewrite puts a text in the place of a file, which keeps owner and mode. The old one is
// kept under its name with an ending.
func (c *Call) rewrite(name, body string, backup any) error {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	if pyfmt.Truth(backup) {
		if err := copyFile(real, real+pystr(backup)); err != nil {
			return err
		}
	}
	tmp, err := scratch([]byte(body))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp) }()
	return c.replace(tmp, real, "")
}

// lineDiff is the difference as file.append and file.prepend show it.
func lineDiff(before, after []string, join string, binary bool) string {
	if binary {
		return "Replace binary file"
	}
	return strings.Join(text.UnifiedDiff(before, after), join)
}

// lostText is a source of a text that cannot be had.
type lostText struct{ source string }

func (e *lostText) Error() string { return "Failed to load template file " + e.source }

// texts are the texts that a state adds: its own, or those of its sources.
func (c *Call) texts(ctx context.Context) ([]string, error) {
	if c.Truth("source") && c.Truth("sources") {
		return nil, sourceErrorf("source and sources are mutually exclusive")
	}
	if c.Truth("source_hash") && c.Truth("source_hashes") {
		return nil, sourceErrorf("source_hash and source_hashes are mutually exclusive")
	}
	sources, hashes := listArg(c.Value("sources")), listArg(c.Value("source_hashes"))
	if c.Truth("source") {
		sources, hashes = []any{c.Value("source")}, []any{c.Value("source_hash")}
	}
	if len(sources) == 0 {
		if c.Value("text") == nil {
			return []string{"None"}, nil
		}
		var out []string
		for _, t := range listArg(c.Value("text")) {
			out = append(out, pystr(t))
		}
		return out, nil
	}
	var out []string
	for i, s := range sources {
		hash := ""
		if i < len(hashes) && hashes[i] != nil {
			hash = pystr(hashes[i])
		}
		got, err := c.fetch(ctx, pystr(s), hash)
		var told *sourceError
		if errors.As(err, &told) {
			return nil, &lostText{pystr(s)}
		}
		if err != nil {
			return nil, err
		}
		path, err := got.file(ctx, c, pystr(s))
		if err != nil {
			return nil, err
		}
		data, err := c.Env.Files().Read(ctx, path, fileclient.Want{})
		if err != nil {
			return nil, err
		}
		if c.Truth("template") {
			if data, err = c.rendered(ctx, data, pystr(s), value.NewMap()); err != nil {
				return nil, err
			}
		}
		out = append(out, string(data))
	}
	return out, nil
}

func listArg(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	if v == nil {
		return nil
	}
	return []any{v}
}

// ready makes the file that lines are added to. A result ends the state.
func (c *Call) ready(name string) (*states.Result, error) {
	dir := filepath.Dir(name)
	if c.Truth("makedirs") && !c.Test {
		if err := c.makeParents(name, owners{}); err != nil {
			return nil, err
		}
		if !isDir(dir) { // the words of Salt, which checks the folder as file.directory does
			res := bad(name, "The following files will be changed:\n%s: directory - new\n", dir)
			res.Changes.Set(dir, value.NewMap("directory", "new"))
			return res, nil
		}
	}
	msg, missing := editable(name)
	switch {
	case msg == "":
		return nil, nil
	case !missing:
		return bad(name, "%s", msg), nil
	case c.Test:
		return would(name, fmt.Sprintf("File %s is set to be created", name), value.NewMap("new", name)), nil
	case !isDir(dir):
		return bad(name, "%s", msg), nil
	}
	if err := touchNew(name, false); err != nil {
		return nil, strerror(err)
	}
	return nil, nil
}

// holds tells whether a text has the lines of a chunk; with loose, white space between
// words does not matter.
func holds(body, chunk string, loose bool) (bool, error) {
	pattern := chunk
	if loose {
		pattern = looseRegex(chunk)
	}
	return text.Search(body, pattern, nil)
}

var blanks = regexp.MustCompile(`[ \t\r\n]+`)

// looseRegex finds the words of a text whatever the white space around them.
func looseRegex(s string) string {
	var b strings.Builder
	b.WriteString("(?m)^")
	for _, line := range text.Split(s, false) {
		var words []string
		for _, w := range blanks.Split(line, -1) {
			if w != "" {
				words = append(words, regexp.QuoteMeta(w))
			}
		}
		b.WriteString(`(?:[\s]+)?` + strings.Join(words, `(?:[\s]+)?`) + `(?:[\s]+)?`)
	}
	b.WriteString("$")
	return b.String()
}

// adding is what file.append and file.prepend begin with: the file, what is in it, and the
// texts for it. A result is why there is nothing to be added to.
func (c *Call) adding(ctx context.Context) (name, body string, chunks []string, res *states.Result, err error) {
	if name = expand(c.Name()); name == "" {
		return "", "", nil, bad(name, "Must provide name to %s", c.Fun), nil
	}
	if res, err = c.ready(name); res != nil || err != nil {
		return "", "", nil, res, err
	}
	var lost *lostText
	if chunks, err = c.texts(ctx); errors.As(err, &lost) {
		res = bad(lost.source, "%s", lost.Error())
		res.Extra = value.NewMap("data", []any{}) // as Salt gives it
		return "", "", nil, res, nil
	}
	if err != nil {
		return "", "", nil, bad(name, "%s", err.Error()), ctx.Err()
	}
	if body, err = readEdited(name); err != nil {
		return "", "", nil, nil, err
	}
	return name, body, chunks, nil, nil
}

func fileAppend(ctx context.Context, c *Call) (*states.Result, error) {
	name, body, chunks, res, err := c.adding(ctx)
	if res != nil || err != nil {
		return res, err
	}
	var added []string
	for _, chunk := range chunks {
		there, err := holds(body, chunk, c.Truth("ignore_whitespace"))
		if err != nil {
			return nil, err
		}
		if !there {
			added = append(added, text.Split(chunk, false)...)
		}
	}
	res = good(name, fmt.Sprintf("File %s is in correct state", name))
	before := text.Split(body, false)
	if len(added) == 0 {
		return res, nil
	}
	res.Changes.Set("diff", lineDiff(before, append(before[:len(before):len(before)], added...), "\n", !text.IsText([]byte(body))))
	if c.Test {
		res.Result, res.Comment = nil, fmt.Sprintf("File %s is set to be updated", name)
		return res, nil
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	if err := c.rewrite(name, body+strings.Join(added, "\n")+"\n", nil); err != nil {
		return nil, err
	}
	res.Comment = fmt.Sprintf("Appended %d lines", len(added))
	return res, nil
}

func filePrepend(ctx context.Context, c *Call) (*states.Result, error) {
	name, body, chunks, res, err := c.adding(ctx)
	if res != nil || err != nil {
		return res, err
	}
	var added []string
	for _, chunk := range chunks {
		there := false
		if !c.Truth("header") {
			if there, err = holds(body, chunk, true); err != nil {
				return nil, err
			}
		}
		if !there {
			added = append(added, text.Split(chunk, false)...)
		}
	}
	head := strings.Join(added, "\n") + "\n"
	if c.Truth("header") && strings.HasPrefix(body, head) {
		added = nil
	}
	res = good(name, fmt.Sprintf("File %s is in correct state", name))
	if len(added) == 0 {
		return res, nil
	}
	res.Changes.Set("diff", lineDiff(text.DiffLines(body), text.DiffLines(head+body), "", !text.IsText([]byte(body))))
	if c.Test {
		res.Result, res.Comment = nil, fmt.Sprintf("File %s is set to be updated", name)
		return res, nil
	}
	if err := c.rewrite(name, head+body, nil); err != nil {
		return nil, err
	}
	res.Comment = fmt.Sprintf("Prepended %d lines", len(added))
	return res, nil
}
