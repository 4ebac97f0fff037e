package functions

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/salt/text"
	"github.com/momtree/mom/value"
)

// readContents determines the content of a file without source. It returns a result if that
// fails.
func (m *managed) readContents(ctx context.Context) (*states.Result, error) {
	count := 0
	for _, name := range []string{"contents", "contents_pillar", "contents_grains"} {
		if m.Value(name) != nil {
			count++
		}
	}
	switch {
	case m.Truth("source") && count > 0:
		return m.fail("'source' cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'"), nil
	case m.keepMode && count > 0:
		return m.fail("Mode preservation cannot be used in combination with 'contents', 'contents_pillar', or 'contents_grains'"), nil
	case count > 1:
		return m.fail("Only one of 'contents', 'contents_pillar', and 'contents_grains' is permitted"), nil
	case count == 0:
		return nil, nil
	}
	m.said = true
	if m.Kwargs.Has("file_mode") {
		m.res.Warnings = append(m.res.Warnings, "The 'file_mode' argument will be ignored.  Please use 'mode' instead to set file permissions.")
	}
	v, what, problem := m.value()
	if problem != "" {
		return m.fail("%s", problem), nil
	}
	if v == nil {
		return nil, nil // an empty pillar key sets no content
	}
	if !m.Truth("allow_empty") && !pyfmt.Truth(v) {
		return m.fail("%s value would result in empty contents. Set allow_empty to True to allow the managed file to be empty.", what), nil
	}
	return m.compose(ctx, v)
}

// value returns the value of contents, the pillar or the grains; what names it in messages.
func (m *managed) value() (v any, what, problem string) {
	if v := m.Value("contents"); v != nil {
		return v, "'contents'", ""
	}
	data, kind, arg := m.Env.Pillar(), "Pillar", "contents_pillar"
	if m.Value(arg) == nil {
		data, kind, arg = m.Env.Grains(), "Grain", "contents_grains"
	}
	keys, many := m.Value(arg).([]any)
	if !many {
		keys = []any{m.Value(arg)}
	}
	var parts []string
	for _, k := range keys {
		found, ok := modules.Traverse(data, pystr(k), m.Str("contents_delimiter"))
		if !ok {
			return nil, "", fmt.Sprintf("%s %s does not exist", kind, pystr(k))
		}
		if !many {
			return found, arg + " " + pystr(m.Value(arg)), ""
		}
		parts = append(parts, pystr(found))
	}
	return strings.Join(parts, "\n"), arg + " " + pystr(m.Value(arg)), ""
}

// compose builds the text of the file: each line with its end, rendered if the state has a
// template.
func (m *managed) compose(ctx context.Context, v any) (*states.Result, error) {
	var parts []string
	binary := false
	switch v := v.(type) {
	case string:
		parts, binary = []string{v}, !utf8.ValidString(v)
	case []byte:
		parts, binary = []string{string(v)}, !utf8.Valid(v)
	case []any:
		for _, e := range v {
			parts = append(parts, pystr(e))
		}
		if len(parts) == 0 {
			return m.fail("Contents specified by contents/contents_pillar/contents_grains is not a string or list of strings, and is not binary data. SLS is likely malformed."), nil
		}
	default:
		parts = []string{pystr(v)}
	}
	if binary {
		if m.Truth("template") {
			return m.fail("Contents specified by contents/contents_pillar/contents_grains appears to be binary data, and as will not be able to be treated as a Jinja template."), nil
		}
		m.contents = &parts[0]
		return nil, nil
	}
	var b strings.Builder
	for _, part := range parts {
		for _, line := range text.Split(part, false) {
			b.WriteString(strings.TrimRight(strings.TrimRight(line, "\n"), "\r"))
			b.WriteByte('\n')
		}
	}
	body := b.String()
	if !m.Truth("contents_newline") {
		body = strings.TrimRight(strings.TrimRight(body, "\n"), "\r")
	}
	if m.Truth("template") {
		out, err := m.rendered(ctx, []byte(body), "", value.NewMap())
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return m.fail("%s", err.Error()), nil
		}
		body = string(out)
	}
	m.contents, m.text = &body, true
	return nil, nil
}
