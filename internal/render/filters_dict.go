package render

import (
	"strings"

	"github.com/jmespath/go-jmespath"

	"github.com/momtree/mom/internal/jinja"
	"github.com/momtree/mom/value"
)

// holder walks to the dict that has the last key of a path, making what is missing.
func holder(d *jinja.Dict, keys, delimiter string, ordered bool) (*jinja.Dict, string) {
	if delimiter == "" {
		fail("empty separator")
	}
	parts := strings.Split(keys, delimiter)
	for _, k := range parts[:len(parts)-1] {
		v, _ := d.Get(k)
		next, ok := v.(*jinja.Dict)
		if !ok {
			next = jinja.NewDict()
			next.Ordered = ordered
			d.Set(k, next)
		}
		d = next
	}
	return d, parts[len(parts)-1]
}

// keyFilter is one of the filters that change the value of a key in a dict.
func keyFilter(name string, change func(r *jinja.Run, old, v any, ordered bool) any) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind(name, 2, "keys value delimiter ordered_dict")
		d, ok := v.(*jinja.Dict)
		if !ok {
			fail("%s: argument of type '%s' is no dictionary", name, jinja.TypeName(v))
		}
		in, key := holder(d, b.Str(0, ""), b.Str(2, ":"), b.Bool(3, false))
		old, _ := in.Get(key)
		in.Set(key, change(r, old, b.Any(1, nil), b.Bool(3, false)))
		return d
	}
}

func appendKey(_ *jinja.Run, old, v any, _ bool) any {
	if old == nil {
		old = jinja.NewList()
	}
	l, ok := old.(*jinja.List)
	if !ok {
		refuse("The last key contains a <class '%s'>, which cannot append.", jinja.TypeName(old))
	}
	l.Items = append(l.Items, v)
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
	more := jinja.Iterate(v)
	r.Room(len(l.Items) + len(more))
	l.Items = append(l.Items, more...)
	return l
}

func updateKey(_ *jinja.Run, old, v any, ordered bool) any {
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
		e, _ := from.Get(k)
		d.Set(k, e)
	}
	return d
}

func compareDicts(_ *jinja.Run, v any, a *jinja.Args) any {
	was, is := wantDict(v, "compare_dicts"), wantDict(a.Bind("compare_dicts", 1, "new").Any(0, nil), "compare_dicts")
	out := jinja.NewDict()
	put := func(k, o, n any) { out.Set(k, jinja.NewDict("old", o, "new", n)) }
	was.Range(func(k, o any) bool {
		n, ok := is.Get(k)
		switch {
		case !ok:
			out.Set(k, jinja.NewDict("new", "", "old", o))
		case !jinja.Equal(o, n):
			put(k, o, n)
		}
		return true
	})
	is.Range(func(k, n any) bool {
		if _, ok := was.Get(k); !ok {
			put(k, "", n)
		}
		return true
	})
	return out
}

// encoded turns the texts of a value into bytes.
func encoded(v any, depth int) any {
	if depth > 200 {
		fail("values are nested more than 200 deep")
	}
	switch v := v.(type) {
	case string:
		return jinja.Bytes(v)
	case *jinja.List:
		return &jinja.List{Items: encodedAll(v.Items, depth)}
	case jinja.Tuple:
		return &jinja.List{Items: encodedAll(v, depth)}
	case *jinja.Dict:
		out := jinja.NewDict()
		v.Range(func(k, e any) bool {
			out.Set(encoded(k, depth+1), encoded(e, depth+1))
			return true
		})
		return out
	}
	return v
}

func encodedAll(items []any, depth int) []any {
	out := make([]any, len(items))
	for i, e := range items {
		out[i] = encoded(e, depth+1)
	}
	return out
}

func jsonQuery(_ *jinja.Run, v any, a *jinja.Args) any {
	expr := a.Bind("json_query", 1, "expr").Str(0, "")
	if len(expr) > 1<<16 {
		fail("a JMESPath of %d bytes is too long", len(expr))
	}
	given, err := jinja.Give(v)
	if err != nil {
		jinja.Throw(err)
	}
	out, err := jmespath.Search(expr, floats(value.Plain(given)))
	if err != nil {
		fail("json_query: %v", err)
	}
	return jinja.Take(ints(out))
}

// floats makes the numbers those that the library knows; ints makes them whole again.
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

func mysqlToDict(_ *jinja.Run, v any, a *jinja.Args) any {
	key := a.Bind("mysql_to_dict", 1, "key").Str(0, "")
	out := jinja.NewDict()
	var headers []string
	for _, e := range jinja.Iterate(v) {
		line := text(e, "mysql_to_dict")
		if line == "" || line[0] == '+' {
			continue
		}
		cells := splitTrim(line, "|")
		if headers == nil {
			headers = cells
			continue
		}
		row := jinja.NewDict()
		for i := 1; i < len(headers)-1 && i < len(cells); i++ {
			row.Set(headers[i], number(cells[i]))
		}
		id, ok := row.Get(key)
		if !ok {
			fail("%s", jinja.Repr(key))
		}
		out.Set(id, row)
	}
	return out
}

var _ = filters(map[string]jinja.Filter{
	"traverse": func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("traverse", 1, "key default delimiter")
		return traverse(r, v, b.Any(0, nil), b.Any(1, nil), b.Str(2, ":"))
	},
	"set_dict_key_value":    keyFilter("set_dict_key_value", func(_ *jinja.Run, _, v any, _ bool) any { return v }),
	"append_dict_key_value": keyFilter("append_dict_key_value", appendKey),
	"extend_dict_key_value": keyFilter("extend_dict_key_value", extendKey),
	"update_dict_key_value": keyFilter("update_dict_key_value", updateKey),
	"compare_dicts":         compareDicts,
	"json_query":            jsonQuery,
	"mysql_to_dict":         mysqlToDict,
	"json_encode_dict":      plain(func(_ *jinja.Run, v any) any { return encoded(wantDict(v, "json_encode_dict"), 0) }),
	"json_decode_dict":      plain(func(_ *jinja.Run, v any) any { return encoded(wantDict(v, "json_decode_dict"), 0) }),
	"json_encode_list":      plain(func(_ *jinja.Run, v any) any { return &jinja.List{Items: encodedAll(jinja.Iterate(v), 0)} }),
	"json_decode_list":      plain(func(_ *jinja.Run, v any) any { return &jinja.List{Items: encodedAll(jinja.Iterate(v), 0)} }),
})
