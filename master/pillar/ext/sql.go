package ext

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// query is a database query and how its rows become a pillar.
type query struct {
	root       string // key for the result; "": the top
	text       string
	depth      int
	asList     bool
	asJSON     bool
	ignoreNull bool
	withLists  []int
}

// queries parses the arguments of an entry: strings, lists [query, depth] and mappings, by position
// or by name, in the order of the names.
func queries(conf any) ([]query, error) {
	var out []query
	add := func(root string, v any) error {
		q, err := readQuery(v)
		if err != nil {
			return fmt.Errorf("query %s: %w", root, err)
		}
		q.root = root
		out = append(out, q)
		return nil
	}
	switch conf := conf.(type) {
	case *value.Map:
		var names []string
		for _, k := range conf.Keys() {
			names = append(names, fmt.Sprint(k))
		}
		slices.Sort(names)
		for _, n := range names {
			v, _ := conf.Get(n)
			if err := add(n, v); err != nil {
				return nil, err
			}
		}
	case []any:
		for _, v := range conf {
			if err := add("", v); err != nil {
				return nil, err
			}
		}
	default:
		if err := add("", conf); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readQuery(v any) (q query, err error) {
	switch v := v.(type) {
	case string:
		q.text = v
	case []any:
		if len(v) > 0 {
			q.text, _ = v[0].(string)
		}
		if len(v) > 1 {
			q.depth, err = whole("depth", v[1])
		}
	case *value.Map:
		for _, k := range v.Keys() {
			e, _ := v.GetKey(k)
			switch k {
			case "query":
				q.text, _ = e.(string)
			case "depth":
				q.depth, err = whole("depth", e)
			case "as_list":
				q.asList, err = arguments{"as_list": e}.flag("as_list")
			case "as_json":
				q.asJSON, err = arguments{"as_json": e}.flag("as_json")
			case "ignore_null":
				q.ignoreNull, err = arguments{"ignore_null": e}.flag("ignore_null")
			case "with_lists":
				q.withLists, err = numbers(e)
			default:
				err = fmt.Errorf("%v is not one of query, depth, as_list, as_json, ignore_null, with_lists", k)
			}
			if err != nil {
				return q, err
			}
		}
	}
	if err == nil && strings.TrimSpace(q.text) == "" {
		err = errors.New("it has no text")
	}
	return q, err
}

func whole(name string, v any) (int, error) {
	n, ok := v.(int64)
	if !ok || n < 0 || n > 1000 {
		return 0, fmt.Errorf("%s should be a number from 0, not %s", name, pyfmt.Repr(v))
	}
	return int(n), nil
}

// numbers parses "1,3" or [1, 3].
func numbers(v any) (out []int, err error) {
	list, ok := v.([]any)
	if s, text := v.(string); text {
		for p := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(p))
			if err != nil {
				return nil, fmt.Errorf("with_lists: %q is not a number", p)
			}
			out = append(out, n)
		}
		return out, nil
	}
	if !ok && v != nil {
		if n, err := whole("with_lists", v); err == nil {
			return []int{n}, nil
		}
		return nil, fmt.Errorf("with_lists should be numbers, not %s", pyfmt.Repr(v))
	}
	for _, e := range list {
		n, err := whole("with_lists", e)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// dialect is what distinguishes the databases.
type dialect struct {
	mark func(n int) string // the placeholder of parameter n, from 1
	json bool               // a column of JSON holds a value, as Python's driver gives it, not a text
}

// place returns the text with the driver's placeholders: as in Python's drivers %s is the id of the
// minion and %% a percent sign. n is the number of placeholders.
func (q query) place(d dialect) (text string, n int, err error) {
	var b strings.Builder
	for i := 0; i < len(q.text); i++ {
		if q.text[i] != '%' {
			b.WriteByte(q.text[i])
			continue
		}
		i++
		switch {
		case i < len(q.text) && q.text[i] == 's':
			n++
			b.WriteString(d.mark(n))
		case i < len(q.text) && q.text[i] == '%':
			b.WriteByte('%')
		default:
			return "", 0, fmt.Errorf("query %q: a %% is followed by neither s (the id of the minion) nor %% (a per cent sign)", q.text)
		}
	}
	return b.String(), n, nil
}

// listing records what becomes a list after the last row.
type listing struct {
	in   *value.Map
	keys []any
}

// shaper builds a map from rows.
type shaper struct {
	q      query
	fields []string
	depth  int
	focus  *value.Map
	lists  []*listing
}

func newShaper(q query, fields []string, focus *value.Map) *shaper {
	s := &shaper{q: q, fields: fields, depth: q.depth, focus: focus}
	if s.depth == 0 || s.depth >= len(fields) {
		s.depth = len(fields) - 1
	}
	return s
}

func (s *shaper) listed(n int) bool { return slices.Contains(s.q.withLists, n) }

func (s *shaper) note(in *value.Map, key any) {
	for _, l := range s.lists {
		if l.in == in {
			if !slices.Contains(l.keys, key) {
				l.keys = append(l.keys, key)
			}
			return
		}
	}
	s.lists = append(s.lists, &listing{in, []any{key}})
}

// row adds a row.
func (s *shaper) row(row []any) error {
	at, n := s.focus, len(s.fields)
	if n == 1 {
		if !s.q.asJSON {
			return errors.New("the query gives one column; it needs two at least, or as_json")
		}
		m, err := asMap(row[0], "a row")
		if err != nil || m == nil {
			return err
		}
		mergeInto(at, m, s.q.asList)
		return nil
	}
	for i := range s.depth - 1 {
		key := keyOf(row[i])
		if s.listed(i + 1) {
			s.note(at, key)
		}
		have, ok := at.GetKey(key)
		below := value.NewMap()
		switch h := have.(type) {
		case *value.Map:
			below = h
		case []any:
			at.Set(key, append(h, below))
		default:
			if ok && s.q.asList {
				at.Set(key, []any{have, below})
			} else {
				at.Set(key, below)
			}
		}
		at = below
	}
	if s.depth == n-1 {
		s.pair(at, keyOf(row[n-2]), row[n-1], s.q.asList || s.listed(n-1), s.listed(n-1))
		return nil
	}
	key := keyOf(row[s.depth-1])
	if _, ok := at.GetKey(key); !ok {
		at.Set(key, value.NewMap())
	}
	if s.listed(s.depth) {
		s.note(at, key)
	}
	v, _ := at.GetKey(key)
	m, ok := v.(*value.Map)
	if !ok {
		return fmt.Errorf("key %v is a value and a mapping", key)
	}
	for i := s.depth; i < n; i++ {
		if s.listed(i + 1) {
			s.note(m, s.fields[i])
		}
		s.pair(m, s.fields[i], row[i], s.q.asList, false)
	}
	return nil
}

// pair sets a key. With lists, a repeated key collects its values in a list; with always, every key
// does.
func (s *shaper) pair(m *value.Map, key, v any, lists, always bool) {
	have, ok := m.GetKey(key)
	switch {
	case lists && ok:
		list, isList := have.([]any)
		if !isList {
			list = []any{have}
		}
		m.Set(key, append(list, v))
	case always:
		m.Set(key, []any{v})
	case v != nil || !s.q.ignoreNull:
		m.Set(key, v)
	}
}

// end builds the lists, inner ones first.
func (s *shaper) end() {
	for _, l := range slices.Backward(s.lists) {
		for _, k := range l.keys {
			switch v, _ := l.in.GetKey(k); v := v.(type) {
			case *value.Map:
				list := []any{}
				v.Range(func(_, e any) bool {
					list = append(list, e)
					return true
				})
				l.in.Set(k, list)
			case []any:
				l.in.Set(k, []any{v})
			}
		}
	}
}

// keyOf converts a column to a key.
func keyOf(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, uint64, float64, string:
		return v
	case []byte:
		return string(v)
	}
	return fmt.Sprint(v)
}

// mergeInto merges b into a, with nested maps. Lists are joined if lists is set.
func mergeInto(a, b *value.Map, lists bool) {
	b.Range(func(k, v any) bool {
		have, _ := a.GetKey(k)
		switch v := v.(type) {
		case *value.Map:
			if h, ok := have.(*value.Map); ok {
				mergeInto(h, v, lists)
				return true
			}
		case []any:
			if h, ok := have.([]any); ok && lists {
				for _, e := range v {
					if !slices.ContainsFunc(h, func(o any) bool { return pyfmt.Repr(o) == pyfmt.Repr(e) }) {
						h = append(h, e)
					}
				}
				a.Set(k, h)
				return true
			}
		}
		a.Set(k, v)
		return true
	})
}
