package functions

import (
	"errors"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// timedOut tells a command that ran out of its time.
func timedOut(m *value.Map) bool { return strings.Contains(m.String("stdout"), "Timed out after") }

// restate reads from the output of a command what its state has changed (stateful): a
// JSON object, or a last line of name=value pairs.
func restate(res *states.Result) {
	ran := res.Changes
	res.Changes, res.Comment = value.NewMap(), ""
	out := ran.String("stdout")
	if out == "" {
		res.Comment = ran.String("stderr")
		return
	}
	data, isJSON, problem := statefulOutput(out)
	if problem != "" {
		res.Result, res.Comment = false, problem
		if !isJSON {
			res.Changes = ran
		}
		return
	}
	changed, ok := boolWord(data)
	if !ok {
		res.Result = false
		res.Comment = "Failed parsing boolean value: " + pystr(get(data, "changed"))
		return
	}
	if v, ok := data.Get("comment"); ok {
		res.Comment = pystr(v)
		data.Delete("comment")
	}
	if !changed {
		return
	}
	told := data.Has("stdout")
	ran.Range(func(k, v any) bool {
		if _, there := data.GetKey(k); !there {
			data.Set(k, v)
		}
		return true
	})
	switch {
	case isJSON:
		data.Set("stdout", "")
	case !told:
		before := strings.TrimRight(out, " \t\r\n")
		i := strings.LastIndexByte(before, '\n')
		if i < 0 {
			i = len(out) - 1 // Python's [:-1]
		}
		data.Set("stdout", out[:i])
	}
	res.Changes = data
}

// statefulOutput reads the output. A problem of JSON is told by isJSON.
func statefulOutput(out string) (data *value.Map, isJSON bool, problem string) {
	if v, err := parseJSON(out); err == nil {
		m, ok := v.(*value.Map)
		if !ok {
			return nil, true, "script JSON output must be a JSON object (e.g., {})!"
		}
		return m, true, ""
	}
	if i := strings.LastIndexByte(strings.TrimRight(out, " \t\r\n"), '\n'); i >= 0 {
		out = out[i+1:]
	}
	data = value.NewMap()
	words, err := pyfmt.SplitCommand(out)
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || strings.Contains(v, "=") {
			err = errNotPairs
			break
		}
		data.Set(k, v)
	}
	if err != nil {
		return nil, false, "Failed parsing script output! Stdout must be JSON or a line of name=value pairs."
	}
	return data, false, ""
}

func boolWord(data *value.Map) (yes, ok bool) {
	v, there := data.Get("changed")
	if !there {
		return false, true
	}
	switch strings.ToLower(pystr(v)) {
	case "true", "yes", "1":
		return true, true
	case "false", "no", "0":
		return false, true
	}
	return false, false
}

var errNotPairs = errors.New("no name=value pairs")

func parseJSON(text string) (any, error) {
	raw, err := wire.FromJSON([]byte(strings.TrimSpace(text)))
	if err != nil {
		return nil, err
	}
	return wire.Decode(raw)
}
