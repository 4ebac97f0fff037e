package render

import (
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

// holder returns the dict that has the last key of a path, and creates missing ones.
func holder(r *jinja.Run, d *jinja.Dict, keys, delimiter string, ordered bool) (*jinja.Dict, string) {
	if delimiter == "" {
		fail("empty separator")
	}
	r.Room(strings.Count(keys, delimiter) + 1)
	parts := strings.Split(keys, delimiter)
	for _, k := range parts[:len(parts)-1] {
		v, _ := r.Get(d, k)
		next, ok := v.(*jinja.Dict)
		if !ok {
			next = jinja.NewDict()
			next.Ordered = ordered
			r.Set(d, k, next)
		}
		d = next
	}
	return d, parts[len(parts)-1]
}

// keyFilter returns a filter that changes the value of a key in a dict.
func keyFilter(name string, change func(r *jinja.Run, old, v any, ordered bool) any) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind(name, 2, "keys value delimiter ordered_dict")
		d, ok := v.(*jinja.Dict)
		if !ok {
			fail("%s: argument of type '%s' is not a dictionary", name, jinja.TypeName(v))
		}
		in, key := holder(r, d, b.Str(0, ""), b.Str(2, ":"), b.Bool(3, false))
		old, _ := r.Get(in, key)
		r.Set(in, key, change(r, old, b.Any(1, nil), b.Bool(3, false)))
		return d
	}
}

func appendKey(r *jinja.Run, old, v any, _ bool) any {
	if old == nil {
		old = jinja.NewList()
	}
	l, ok := old.(*jinja.List)
	if !ok {
		refuse("The last key contains a <class '%s'>, which cannot append.", jinja.TypeName(old))
	}
	r.Append(l, v)
	return l
}

func extendKey(r *jinja.Run, old, v any, _ bool) any {
	if old == nil {
		old = jinja.NewList()
	}
	l, ok := old.(*jinja.List)
	if !ok {
		refuse("The last key contains a <class '%s'>, which cannot extend.", jinja.TypeName(old))
	}
	if !jinja.Iterable(v) {
		refuse("Cannot extend <class 'list'> with a <class '%s'>.", jinja.TypeName(v))
	}
	more := r.Iterate(v)
	r.Append(l, more...)
	return l
}

func updateKey(r *jinja.Run, old, v any, ordered bool) any {
	if old == nil {
		d := jinja.NewDict()
		d.Ordered = ordered
		old = d
	}
	d, ok := old.(*jinja.Dict)
	if !ok {
		refuse("The last key contains a <class '%s'>, which cannot update.", jinja.TypeName(old))
	}
	from, ok := v.(*jinja.Dict)
	if !ok {
		refuse("Cannot update <class 'dict'> with a <class '%s'>.", jinja.TypeName(v))
	}
	for _, k := range from.Keys() {
		e, _ := r.Get(from, k)
		r.Set(d, k, e)
	}
	return d
}

func compareDicts(r *jinja.Run, v any, a *jinja.Args) any {
	was, is := wantDict(v, "compare_dicts"), wantDict(a.Bind("compare_dicts", 1, "new").Any(0, nil), "compare_dicts")
	out := jinja.NewDict()
	put := func(k, o, n any) { r.Alloc(256); r.Set(out, k, jinja.NewDict("old", o, "new", n)) }
	was.Range(func(k, o any) bool {
		n, ok := r.Get(is, k)
		switch {
		case !ok:
			r.Alloc(256)
			r.Set(out, k, jinja.NewDict("new", "", "old", o))
		case !r.Equal(o, n):
			put(k, o, n)
		}
		return true
	})
	is.Range(func(k, n any) bool {
		if _, ok := r.Get(was, k); !ok {
			put(k, "", n)
		}
		return true
	})
	return out
}

// encoded converts the strings in a value to bytes.
func encoded(r *jinja.Run, v any, depth int) any {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	r.Walk(1)
	switch v := v.(type) {
	case string:
		r.Charge(len(v))
		return jinja.Bytes(v)
	case *jinja.List:
		return &jinja.List{Items: encodedAll(r, v.Items, depth)}
	case jinja.Tuple:
		return &jinja.List{Items: encodedAll(r, v, depth)}
	case *jinja.Dict:
		out := jinja.NewDict()
		v.Range(func(k, e any) bool {
			r.Set(out, encoded(r, k, depth+1), encoded(r, e, depth+1))
			return true
		})
		return out
	}
	return v
}

func encodedAll(r *jinja.Run, items []any, depth int) []any {
	r.Room(2 * len(items))
	out := make([]any, len(items))
	for i, e := range items {
		out[i] = encoded(r, e, depth+1)
	}
	return out
}

func jsonQuery(r *jinja.Run, v any, a *jinja.Args) any {
	expr := a.Bind("json_query", 1, "expr").Str(0, "")
	if len(expr) > 1<<16 {
		fail("a JMESPath of %d bytes is too long", len(expr))
	}
	given, err := r.Give(v)
	if err != nil {
		jinja.Throw(err)
	}
	r.Take(given) // for the following copy
	out, err := query(r, expr, floats(value.Plain(given)))
	if err != nil {
		fail("json_query: %v", err)
	}
	return r.Take(ints(out))
}

// floats converts numbers to the type the library uses; ints converts them back.
func floats(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}
	}
	return v
}

func ints(v any) any {
	switch v := v.(type) {
	case float64:
		if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 {
			return n
		}
	case []any:
		for i := range v {
			v[i] = ints(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = ints(v[k])
		}
	}
	return v
}

func mysqlToDict(r *jinja.Run, v any, a *jinja.Args) any {
	key := a.Bind("mysql_to_dict", 1, "key").Str(0, "")
	out := jinja.NewDict()
	var headers []string
	for _, e := range r.Iterate(v) {
		line := text(r, e, "mysql_to_dict")
		if line == "" || line[0] == '+' {
			continue
		}
		r.Room(2*strings.Count(line, "|") + 8)
		cells := splitTrim(line, "|")
		if headers == nil {
			headers = cells
			continue
		}
		row := jinja.NewDict()
		r.Room(2*len(cells) + 8)
		for i := 1; i < len(headers)-1 && i < len(cells); i++ {
			r.Set(row, headers[i], number(r, cells[i]))
		}
		id, ok := r.Get(row, key)
		if !ok {
			fail("%s", jinja.Repr(key))
		}
		r.Set(out, id, row)
	}
	return out
}

var _ = filters(map[string]jinja.Filter{
	"traverse": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("traverse", 1, "key default delimiter")
		return traverse(r, v, b.Any(0, nil), b.Any(1, nil), b.Str(2, ":"))
	},
	"set_dict_key_value":    keyFilter("set_dict_key_value", func(r *jinja.Run, _, v any, _ bool) any { return v }),
	"append_dict_key_value": keyFilter("append_dict_key_value", appendKey),
	"extend_dict_key_value": keyFilter("extend_dict_key_value", extendKey),
	"update_dict_key_value": keyFilter("update_dict_key_value", updateKey),
	"compare_dicts":         compareDicts,
	"json_query":            jsonQuery,
	"mysql_to_dict":         mysqlToDict,
	"json_encode_dict":      plain(func(r *jinja.Run, v any) any { return encoded(r, wantDict(v, "json_encode_dict"), 0) }),
	"json_decode_dict":      plain(func(r *jinja.Run, v any) any { return encoded(r, wantDict(v, "json_decode_dict"), 0) }),
	"json_encode_list":      plain(func(r *jinja.Run, v any) any { return &jinja.List{Items: encodedAll(r, r.Iterate(v), 0)} }),
	"json_decode_list":      plain(func(r *jinja.Run, v any) any { return &jinja.List{Items: encodedAll(r, r.Iterate(v), 0)} }),
})
