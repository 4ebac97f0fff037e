package jinja

// Some filters return text that counts as escaped (Markup in Python). Text that is joined
// to it with +, or inserted with %, is escaped for HTML, and the filter e leaves it
// unchanged. Here only an expression tracks this for its filters; a variable does not keep
// it.

// escapedBy are the filters whose result counts as escaped.
var escapedBy = map[string]bool{
	"e": true, "escape": true, "forceescape": true, "safe": true, "tojson": true,
	"json": true, "yaml": true, "python": true, "xml": true, "dict_to_sls_yaml_params": true,
}

// keepEscaped are the filters whose result counts as escaped if their input does.
var keepEscaped = map[string]bool{"upper": true, "lower": true, "capitalize": true, "trim": true, "string": true}

// escaped reports whether the text of an expression counts as escaped.
func escaped(x expr) bool {
	switch n := x.(type) {
	case *filterNode:
		return escapedBy[n.name] || keepEscaped[n.name] && n.x != nil && escaped(n.x)
	case *binaryNode:
		return n.op == "+" && (escaped(n.left) || escaped(n.right)) || n.op == "%" && escaped(n.left)
	}
	return false
}

// joinEscaped escapes one operand of + or % if only the other counts as escaped.
func (r *Run) joinEscaped(n *binaryNode, left, right any) (any, any) {
	l, isText := left.(string)
	if !isText {
		return left, right
	}
	switch n.op {
	case "%":
		if escaped(n.left) && !escaped(n.right) {
			right = r.escapeAll(right, 0)
		}
	case "+":
		rt, isText := right.(string)
		if !isText {
			break
		}
		switch le, re := escaped(n.left), escaped(n.right); {
		case le && !re:
			right = r.escapeText(rt)
		case re && !le:
			left = r.escapeText(l)
		}
	}
	return left, right
}

func (r *Run) escapeText(s string) string {
	r.text(5 * len(s))
	return escape(r, s)
}

// escapeAll escapes the strings that % inserts.
func (r *Run) escapeAll(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return r.escapeText(v)
	case Tuple:
		r.Room(len(v))
		out := make(Tuple, len(v))
		for i, e := range v {
			if out[i] = e; depth == 0 {
				out[i] = r.escapeAll(e, 1)
			}
		}
		return out
	case *Dict:
		if depth > 0 {
			return v
		}
		out := NewDict()
		v.Range(func(k, e any) bool {
			r.Set(out, k, r.escapeAll(e, 1))
			return true
		})
		return out
	}
	return v
}
