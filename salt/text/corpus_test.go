package text

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/pyfmt"
)

// edit is a call of one of Salt's functions, with the result of Salt 3006.0.
type edit struct {
	Fun, Text, After string
	Args             map[string]any
	Result           any
	Error, Raises    string
	Usage            bool
}

func (e edit) str(name, otherwise string) string {
	v, ok := e.Args[name]
	if !ok || v == nil {
		return otherwise
	}
	return pyfmt.Str(v)
}

func (e edit) maybe(name string) *string {
	if v, ok := e.Args[name].(string); ok {
		return &v
	}
	return nil
}

func (e edit) is(name string, otherwise bool) bool {
	v, ok := e.Args[name].(bool)
	if !ok {
		return otherwise
	}
	return v
}

// run makes the same edit with this package.
func (e edit) run() (Edit, any, error) {
	var got Edit
	var err error
	switch e.Fun {
	case "line":
		got, err = Line(e.Text, LineOptions{
			Mode: e.str("mode", ""), Content: e.maybe("content"), Match: e.str("match", ""), Location: e.str("location", ""),
			Before: e.maybe("before"), After: e.maybe("after"), NoIndent: !e.is("indent", true),
		})
		if err == nil && e.is("show_changes", true) && got.Changed() {
			if d := got.Diff(); d != "" {
				return got, d, nil
			}
		}
		return got, got.Changed(), err
	case "blockreplace":
		newline := e.is("append_newline", false)
		if v, ok := e.Args["append_newline"]; ok && v == nil {
			newline = NewlineFor(nil, e.str("content", ""))
		}
		got, err = Block(e.Text, BlockOptions{
			Start: e.str("marker_start", ""), End: e.str("marker_end", ""), Content: e.str("content", ""), Newline: newline,
			Append: e.is("append_if_not_found", false), Prepend: e.is("prepend_if_not_found", false),
			InsertBefore: e.str("insert_before_match", ""), InsertAfter: e.str("insert_after_match", ""),
		})
	case "comment_line":
		var found bool
		got, found, err = Comment(e.Text, CommentOptions{Regex: e.str("regex", ""), Char: e.str("char", "#"), Uncomment: !e.is("cmnt", true)})
		if err == nil && !found {
			return got, false, nil
		}
		return got, got.Diff(), err
	default:
		flags := e.Args["flags"]
		if n, ok := flags.(float64); ok {
			flags = int64(n)
		} else if flags == nil {
			flags = int64(8)
		}
		if e.is("search_only", false) {
			if e.is("append_if_not_found", false) || e.is("prepend_if_not_found", false) {
				return got, nil, misuse("search_only cannot be used with append/prepend_if_not_found")
			}
			found, err := Search(e.Text, e.str("pattern", ""), flags)
			return Edit{text: e.Text}, found, err
		}
		count, _ := e.Args["count"].(float64)
		got, err = Replace(e.Text, ReplaceOptions{
			Pattern: e.str("pattern", ""), Flags: flags, Repl: e.str("repl", ""), Literal: e.is("backslash_literal", false), Count: int(count),
			Append: e.is("append_if_not_found", false), Prepend: e.is("prepend_if_not_found", false), NotFound: e.str("not_found_content", ""),
		})
	}
	if !e.is("show_changes", true) {
		return got, got.Changed(), err
	}
	return got, got.Diff(), err
}

// The package edits 1194 texts as Salt does, and rejects the same ones.
func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/edits.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []edit
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) < 1000 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, e := range cases {
		name, _ := json.Marshal(e)
		got, result, err := e.run()
		switch {
		case e.Fun == "comment_line" && e.Text == "" && e.Args["regex"] == "(":
			// Salt does not check it if the file has no line.
			if err == nil {
				t.Errorf("%s\n is not refused", name)
			}
		case strings.Contains(e.Raises, "cannot mmap an empty file"), strings.Contains(e.Raises, "UnicodeDecodeError"):
			// Here an empty file is an ordinary text, and characters are not split.
			if err != nil || got.Text() == "" {
				t.Errorf("%s\n gave %q, %v", name, got.Text(), err)
			}
		case e.Raises != "":
			if err == nil {
				t.Errorf("%s\n gave %q, result %v", name, got.Text(), result)
			}
		case e.Error != "":
			var fault *Error
			if !errors.As(err, &fault) || fault.Usage != e.Usage || fault.Msg != e.Error && !strings.HasPrefix(fault.Msg, "regular expression") {
				t.Errorf("%s\n error %v (%v)", name, err, fault)
			}
		case err != nil:
			t.Errorf("%s\n error %v", name, err)
		case result != e.Result:
			t.Errorf("%s\n result %#v", name, result)
		case !e.is("dry_run", false) && got.Changed() && got.Text() != e.After, !got.Changed() && e.After != e.Text:
			t.Errorf("%s\n made %q", name, got.Text())
		}
	}
}
