package output

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// state is the result of one state.
type state struct {
	parts    []string // of its key: module, id, name, function
	count    int      // number of states that it combines
	fields   []pyfmt.Pair
	result   any
	at       float64 // __run_num__
	comment  string
	changes  any
	started  any // nil if unknown
	took     any // nil if unknown
	took1    float64
	alone    bool // not beside others (__parallel__)
	warnings []string
	warned   bool
}

// unordered is Salt's text for a result without its place in the order.
const unordered = "The State execution failed to record the order in which all states were executed. The state return missing data is:"

// compressedKey marks, among the parts of a key, a combined state.
const compressedKey = "state_compressed_"

var compressedCount = regexp.MustCompile(`\((\d+)\)$`)

// readStates reads {"module_|-id_|-name_|-function": {result, comment, …}} in the order in
// which the states ran. It omits entries that are not such results. lost has messages about
// results without a place in the order.
func readStates(entries []pyfmt.Pair) (all []state, lost []string, err error) {
	for _, e := range entries {
		fields, ok := pyfmt.Pairs(e.Val)
		if !ok {
			continue
		}
		if _, ok := field(fields, "__run_num__"); !ok && len(fields) > 0 && e.Key != "changes" {
			lost = append([]string{unordered, terminal.Text(pyfmt.Pretty(e.Val, 1))}, lost...)
		}
		if _, ok := field(fields, "result"); !ok {
			continue
		}
		key, _ := e.Key.(string)
		s, err := readState(key, fields)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b state) int { return cmp.Compare(a.at, b.at) })
	return all, lost, nil
}

func readState(key string, fields []pyfmt.Pair) (state, error) {
	get := func(name string) any { v, _ := field(fields, name); return v }
	s := state{fields: fields, parts: strings.Split(key, "_|-"), count: 1, result: get("result"), changes: get("changes"), started: get("start_time"), took: get("duration")}
	_, beside := field(fields, "__parallel__")
	_, changes := field(fields, "changes")
	comment, said := field(fields, "comment")
	if len(s.parts) != 4 || !changes || !said {
		return s, errShape
	}
	s.alone = !beside
	var ok bool
	if at, given := field(fields, "__run_num__"); given {
		if s.at, ok = pyfmt.Number(at); !ok {
			return s, errShape
		}
	}
	switch n, ok := pyfmt.Number(s.result); {
	case ok && n == 1:
		s.result = asResult(s.result, true)
	case ok && n == 0:
		s.result = asResult(s.result, false)
	}
	if strings.HasPrefix(s.parts[2], compressedKey) {
		if m := compressedCount.FindStringSubmatch(s.parts[1]); m != nil {
			s.count, _ = strconv.Atoi(m[1])
		}
	}
	if s.took1, ok = took(s.took); !ok {
		return s, errShape
	}
	s.comment = strings.TrimFunc(pyfmt.Str(comment), pyfmt.IsSpace)
	s.comment = strings.ReplaceAll(s.comment, "\n", "\n"+strings.Repeat(" ", changesIndent))
	s.comment += data(fields)
	if given, ok := field(fields, "warnings"); ok {
		list, isList := wire.AsList(given)
		if !isList {
			return s, errShape
		}
		s.warned = true
		for _, e := range list {
			text, ok := e.(string)
			if !ok {
				return s, errShape
			}
			s.warnings = append(s.warnings, text)
		}
	}
	return s, nil
}

// numeric is a result that is a number and counts as True or False without being one.
type numeric struct {
	as    bool
	shown any
}

func asResult(v any, as bool) any {
	if _, ok := v.(bool); ok {
		return v
	}
	return numeric{as, v}
}

// took reads a duration in ms; a string that cannot be read counts as missing.
func took(v any) (float64, bool) {
	if v == nil {
		return 0, true
	}
	if f, ok := float(v); ok {
		return f, true
	}
	text, ok := v.(string)
	if !ok {
		return 0, false
	}
	text, _, _ = strings.Cut(text, " ms")
	f, _ := float(text)
	return f, true
}

// data returns the additional data of a state after its comment.
func data(fields []pyfmt.Pair) string {
	v, ok := field(fields, "data")
	if !ok {
		return ""
	}
	var b strings.Builder
	if list, ok := wire.AsList(v); ok {
		for _, e := range list {
			b.WriteString(" " + pyfmt.Str(e))
		}
		return b.String()
	}
	if ps, ok := pyfmt.Pairs(v); ok {
		for _, p := range ps {
			b.WriteString("\n\t\t" + pyfmt.Str(p.Key) + ": " + pyfmt.Str(p.Val))
		}
		return b.String()
	}
	return " " + pyfmt.Str(v)
}
