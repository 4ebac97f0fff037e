package functions

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "keyvalue", Run: fileKeyValue, Spec: states.Spec{Args: args(onlyName, "key", nil, "value", nil, "key_values", nil, "separator", "=",
			"append_if_not_found", false, "prepend_if_not_found", false, "search_only", false, "show_changes", true, "ignore_if_missing", false,
			"count", int64(1), "uncomment", nil, "key_ignore_case", false, "value_ignore_case", false)}, Doc: `
Manages keys with their values in a file with lines such as KEY=VALUE.

key, value; key_values
    One key, or a map of them.
separator : =
    The text between a key and its value.
count : 1
    How often the key may occur; further lines are removed. A negative number
    keeps them all.
uncomment
    Characters to remove before the key; white space by default.
append_if_not_found, prepend_if_not_found
    Adds a missing key.
key_ignore_case, value_ignore_case, show_changes, ignore_if_missing
    Ignores the case of keys or values; shows the difference; accepts a missing
    file.
`,
	})
}

// keyValues is one run of file.keyvalue.
type keyValues struct {
	*Call
	keys      []string
	values    []any
	separator string
	left      map[string]int64 // how often a key may still be changed
	diff      []string
	changed   int
}

func fileKeyValue(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	if name == "" {
		return bad(name, "Must provide name to file.keyvalue"), nil
	}
	if c.Truth("search_only") {
		return bad(name, "search_only of file.keyvalue does nothing in Salt: use test=True"), nil
	}
	k := &keyValues{Call: c, separator: pystr(c.Value("separator")), left: map[string]int64{}}
	if msg := k.wanted(); msg != "" {
		return bad(name, "%s", msg), nil
	}
	body, err := readEdited(name)
	if err != nil {
		res := bad(name, "unable to open %s", name)
		if c.Truth("ignore_if_missing") {
			res.Result = true
		}
		return res, nil
	}
	var out strings.Builder
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	for line := range strings.SplitAfterSeq(body, "\n") {
		if line != "" {
			out.WriteString(k.line(line))
		}
	}
	after := k.missing(out.String())
	res := good(name, "")
	if k.changed == 0 {
		return res, nil
	}
	shown := strings.Join(k.diff, "")
	if c.Truth("show_changes") {
		res.Changes.Set("diff", shown)
	}
	if c.Test {
		res.Result, res.Comment = nil, fmt.Sprintf("File %s is set to be changed (%d lines)", name, k.changed)
		if c.Truth("show_changes") {
			res.Comment += "\nPredicted diff:\n\r\t\t" + strings.Join(k.diff, "\r\t\t")
		}
		return res, nil
	}
	res.Comment = fmt.Sprintf("Changed %d lines", k.changed)
	if err := c.rewrite(name, after, nil); err != nil {
		res.Result, res.Comment = false, name+" not writable"
		if !os.IsPermission(err) {
			res.Comment += ": " + osError(err)
		}
	}
	return res, nil
}

// wanted parses the keys and values and returns a message for invalid ones, else "".
func (k *keyValues) wanted() string {
	all, _ := k.Value("key_values").(*value.Map)
	if k.Value("key") != nil && k.Value("value") != nil {
		// Salt tries to reject key_values beside them, but never does: its check is for a
		// dict, and an SLS gives an OrderedDict.
		all = value.NewMap(pystr(k.Value("key")), k.Value("value"))
	} else if all.Len() == 0 {
		if pyfmt.Truth(k.Value("key_values")) {
			return "file.keyvalue key and value not supplied and key_values is not a dictionary"
		}
		return "file.keyvalue key and value not supplied and key_values is empty"
	}
	if k.separator == "" {
		return "file.keyvalue wants a separator that is not empty"
	}
	count, ok := k.Value("count").(int64)
	if !ok {
		return fmt.Sprintf("count of file.keyvalue is a number, not %s", pystr(k.Value("count")))
	}
	all.Range(func(key, v any) bool {
		k.keys, k.values = append(k.keys, pystr(key)), append(k.values, v)
		k.left[pystr(key)] = count
		return true
	})
	return ""
}

// bare returns a line without the characters of the option uncomment.
func (k *keyValues) bare(line string) string {
	if v := k.Value("uncomment"); v != nil {
		return strings.TrimLeft(line, pystr(v))
	}
	return strings.TrimLeftFunc(line, unicode.IsSpace)
}

// line returns the changed form of a line.
func (k *keyValues) line(line string) string {
	test := k.bare(line)
	uncommented := len(line) > len(test)
	fold := k.Truth("key_ignore_case")
	if fold {
		test = strings.ToLower(test)
	}
	for i, key := range k.keys {
		wantKey := key
		if fold {
			wantKey = strings.ToLower(key)
		}
		if !strings.HasPrefix(test, wantKey) {
			continue
		}
		work := line
		if uncommented {
			work = k.bare(line)
		}
		have, rest, ok := strings.Cut(work, k.separator)
		is := have
		if fold {
			is = strings.ToLower(have)
		}
		if !ok || is != wantKey {
			continue
		}
		line = k.changeLine(line, have, rest, key, k.values[i], uncommented)
	}
	return line
}

// changeLine returns the changed form of a line that has a key.
func (k *keyValues) changeLine(line, have, rest, key string, v any, uncommented bool) string {
	is, want := strings.TrimSpace(rest), strings.TrimSpace(pystr(v))
	if k.Truth("value_ignore_case") {
		is, want = strings.ToLower(is), strings.ToLower(want)
	}
	left := k.left[key]
	right := is == want
	if uncommented {
		right = left == 0 || right && left < 0
	} else if left == 0 {
		right = false
	}
	if !right {
		k.diff = append(k.diff, "- "+line)
		line = ""
		if left != 0 {
			line = have + k.separator + pystr(v) + "\n"
			if _, ok := v.(string); ok {
				k.diff = append(k.diff, "+ "+line)
			} else {
				k.diff = append(k.diff, fmt.Sprintf("+ %s (from %s type)\n", strings.TrimRightFunc(line, unicode.IsSpace), typeName(v)))
			}
		}
		k.changed++
	}
	if left > 0 {
		k.left[key]--
	}
	return line
}

// missing appends the keys that were not found, if the state wants that.
func (k *keyValues) missing(body string) string {
	atEnd := k.Truth("append_if_not_found")
	if !atEnd && !k.Truth("prepend_if_not_found") {
		return body
	}
	var added []string
	for i, key := range k.keys {
		if k.left[key] <= 0 {
			continue
		}
		line := key + k.separator + pystr(k.values[i]) + "\n"
		k.changed++
		if atEnd {
			body += line
			added = append(added, "+ "+line)
		} else {
			body = line + body
			added = append([]string{"+ " + line}, added...)
		}
	}
	switch {
	case len(added) == 0:
	case atEnd:
		k.diff = append(append(append(k.diff, "- <EOF>\n"), added...), "+ <EOF>\n")
	default:
		k.diff = append(append([]string{"  <SOF>\n"}, added...), k.diff...)
	}
	return body
}

// typeName returns Python's name of the type of a value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, uint64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []any:
		return "list"
	case *value.Map:
		return "dict"
	}
	return fmt.Sprintf("%T", v)
}
