package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/text"
)

func init() {
	Register("file",
		Function{Name: "line", Run: fileLine, Spec: states.Spec{Args: args(onlyName, "content", nil, "match", nil, "mode", nil, "location", nil,
			"before", nil, "after", nil, "show_changes", true, "backup", false, "quiet", false, "indent", true, "create", false,
			"user", nil, "group", nil, "file_mode", nil)}, Doc: `
Manages one line of a file.

mode
    ensure puts the line (content) between before and after, insert adds it
    there or at the start or end (location), replace replaces the line with
    match, delete removes it.
content, match, before, after, location
    The line and its position: regular expressions, or parts of lines.
indent : True
    Indents the line like its neighbour.
create, user, group, file_mode
    Creates a missing file, with its owner and mode.
show_changes, backup
    Shows the difference, or only that there is one; keeps the old file under
    the suffix. quiet belongs to the execution function and is ignored.
`},
		Function{Name: "blockreplace", Run: fileBlock, Spec: states.Spec{Args: args(onlyName, "marker_start", "#-- start managed zone --",
			"marker_end", "#-- end managed zone --", "source", nil, "source_hash", nil, "template", "jinja", "sources", nil, "source_hashes", nil,
			"defaults", nil, "context", nil, "content", "", "append_if_not_found", false, "prepend_if_not_found", false, "backup", ".bak",
			"show_changes", true, "append_newline", nil, "insert_before_match", nil, "insert_after_match", nil)}, Doc: `
Manages the text between two marks in a file (marker_start, marker_end).

content
    The text, followed by that of file.accumulated.
source, sources, source_hash, source_hashes, template, defaults, context
    Or files with the text, rendered with jinja.
append_if_not_found, prepend_if_not_found, insert_before_match, insert_after_match
    Where to add a missing block.
append_newline
    True adds a line end to the content; by default only a missing one.
backup : .bak, show_changes
    The suffix of the backup file; shows the difference.
`},
	)
}

// optionalText returns an argument as a string, nil for None.
func (c *Call) optionalText(name string) *string {
	v := c.Value(name)
	if v == nil {
		return nil
	}
	s := pystr(v)
	return &s
}

// textOrNone returns an argument as a string, "" if it is false in Python.
func (c *Call) textOrNone(name string) string {
	if !c.Truth(name) {
		return ""
	}
	return pystr(c.Value(name))
}

func fileLine(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	if name == "" {
		return bad(name, "Must provide name to file.line"), nil
	}
	if res := c.made(ctx, name); res != nil {
		return res, nil
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	mode := c.textOrNone("mode")
	switch {
	case c.Value("mode") == nil:
		return bad(name, "Mode was not defined. How to process the file?"), nil
	case strings.ToLower(mode) != "delete" && c.Value("content") == nil:
		return bad(name, "Content can only be empty if mode is ['delete']"), nil
	}
	before, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	edit, err := text.Line(before, text.LineOptions{
		Mode: mode, Content: c.optionalText("content"), Match: c.textOrNone("match"), Location: c.textOrNone("location"),
		Before: c.optionalText("before"), After: c.optionalText("after"), NoIndent: !c.Truth("indent"),
	})
	if err != nil {
		return nil, err
	}
	return c.edited(name, edit, c.Truth("show_changes"))
}

// edited writes the edited text of a file and sets the difference as changes.
func (c *Call) edited(name string, edit text.Edit, show bool) (*states.Result, error) {
	res := good(name, "No changes needed to be made")
	if !edit.Changed() {
		return res, nil
	}
	var changes any = true
	if show {
		changes = edit.Diff()
	}
	if !c.Test {
		if err := c.rewrite(name, edit.Text(), c.Value("backup")); err != nil {
			return bad(name, "%s", osError(err)), nil
		}
	}
	if changes == "" {
		return res, nil
	}
	res.Changes.Set("diff", changes)
	res.Comment = "Changes were made"
	if c.Test {
		res.Result, res.Comment = nil, "Changes would be made"
	}
	return res, nil
}

// made creates a file that an editing state may create, with owner and mode. It returns a
// result if that fails.
func (c *Call) made(ctx context.Context, name string) *states.Result {
	mode, err := modeOf(c.Value("file_mode"))
	if err != nil {
		return bad(name, "%s", err.Error())
	}
	if !c.Truth("create") && !isFile(name) || isDir(name) || c.Test || c.checkUser(c.Value("user"), c.Value("group")) != "" {
		return nil
	}
	m := &managed{Call: c, name: name, res: good(name, ""), owners: owners{c.Value("user"), c.Value("group"), mode}}
	if exists(name) {
		if err := c.checkPerms(name, m.res, m.owners, true); err != nil {
			return bad(name, "%s", osError(err))
		}
		return nil
	}
	if err := m.put(ctx, name, m.res); err != nil {
		return bad(name, "%s", osError(err))
	}
	return nil
}

func fileBlock(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	if name == "" {
		return bad(name, "Must provide name to file.blockreplace"), nil
	}
	content := ""
	if c.Truth("source") || c.Truth("sources") {
		parts, err := c.texts(ctx)
		if err != nil {
			return bad(name, "%s", err.Error()), ctx.Err()
		}
		content = strings.Join(parts, "")
	}
	if msg, _ := editable(name); msg != "" {
		return bad(name, "%s", msg), nil
	}
	content = c.gatheredText(name, pystr(c.Value("content"))) + content
	before, err := readEdited(name)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	var newline *bool
	if v := c.Value("append_newline"); v != nil {
		b := pyfmt.Truth(v)
		newline = &b
	}
	if !text.IsText([]byte(before)) {
		err = fmt.Errorf("Cannot perform string replacements on a binary file: %s", name)
	}
	var edit text.Edit
	if err == nil {
		edit, err = text.Block(before, text.BlockOptions{
			Start: pystr(c.Value("marker_start")), End: pystr(c.Value("marker_end")), Content: content,
			Append: c.Truth("append_if_not_found"), Prepend: c.Truth("prepend_if_not_found"),
			InsertBefore: c.textOrNone("insert_before_match"), InsertAfter: c.textOrNone("insert_after_match"),
			Newline: text.NewlineFor(newline, content),
		})
	}
	if err != nil {
		return bad(name, "Encountered error managing block: %s. See the log for details.", err), nil
	}
	return c.edited(name, edit, c.Truth("show_changes"))
}

// gatheredText appends the texts accumulated by file.accumulated for a file.
func (c *Call) gatheredText(name, content string) string {
	c.gathered(name).Range(func(_, texts any) bool {
		list, _ := texts.([]any)
		for _, t := range list {
			if content != "" {
				content += "\n"
			}
			content += pystr(t)
		}
		return true
	})
	return content
}
