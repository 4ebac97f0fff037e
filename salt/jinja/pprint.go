package jinja

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Pformat is Python's pprint.pformat: one line when it fits 80 columns, dicts sorted
// by their keys.
func (r *Run) Pformat(v any) string {
	p := pretty{r: r, b: r.Builder()}
	p.print(v, 0, 0, 0)
	return p.b.String()
}

// pretty writes a value over several lines.
type pretty struct {
	r *Run
	b *Builder
}

// oneLine writes the repr of a value whose dicts are sorted, up to a number of characters;
// it tells whether that was enough.
func (p pretty) oneLine(v any, room int) (string, bool) {
	l := line{r: p.r, room: room}
	ok := l.write(v, 0)
	return l.b.String(), ok
}

// line is the text of a value in one line, as far as there is room.
type line struct {
	r    *Run
	b    strings.Builder
	room int // in characters
}

func (l *line) add(s string) bool {
	if len(s)/utf8.UTFMax > l.room {
		l.room = -1
		return false
	}
	l.room -= utf8.RuneCountInString(s)
	if l.room < 0 {
		return false
	}
	l.r.Work(visitWork)
	l.b.WriteString(s)
	return true
}

func (l *line) items(open, end string, items []any, depth int) bool {
	if !l.add(open) {
		return false
	}
	for i, e := range items {
		if i > 0 && !l.add(", ") || !l.write(e, depth+1) {
			return false
		}
	}
	return l.add(end)
}

func (l *line) write(v any, depth int) bool {
	if depth > maxNested {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	l.r.Work(visitWork)
	switch v := v.(type) {
	case *Dict:
		if l.room < 2*v.Len() || !l.add("{") {
			return false
		}
		for i, k := range l.r.prettyKeys(v) {
			e, _ := l.r.Get(v, k)
			if i > 0 && !l.add(", ") || !l.write(k, depth+1) || !l.add(": ") || !l.write(e, depth+1) {
				return false
			}
		}
		return l.add("}")
	case *List:
		return l.items("[", "]", v.Items, depth)
	case Tuple:
		if len(v) == 1 {
			return l.items("(", ",)", v, depth)
		}
		return l.items("(", ")", v, depth)
	case string:
		if len(v)/utf8.UTFMax > l.room {
			return false
		}
	}
	return l.add(l.r.Repr(v))
}

// prettyKeys are a dict's keys in pprint's order: of keys that cannot be compared by
// the names of their types.
func (r *Run) prettyKeys(d *Dict) []any {
	r.Room(d.Len())
	keys := d.Keys()
	slices.SortStableFunc(keys, func(a, b any) int {
		r.Work(2 * visitWork)
		_, as := a.(string)
		_, bs := b.(string)
		if as && bs || isNumber(a) && isNumber(b) {
			return r.order("<", a, b, 0)
		}
		return strings.Compare(typeName(a), typeName(b))
	})
	return keys
}

func (p pretty) put(s string) { _, _ = p.b.WriteString(s) }

// next ends a line and begins one.
func (p pretty) next(indent int) {
	p.r.Alloc(indent + 2)
	p.put(",\n" + strings.Repeat(" ", indent+1))
}

func (p pretty) items(open, end string, list []any, indent, allowance, depth int) {
	p.put(open)
	for i, e := range list {
		if i > 0 {
			p.next(indent)
		}
		more := 1
		if i == len(list)-1 {
			more = allowance + len(end)
		}
		p.print(e, indent+1, more, depth+1)
	}
	p.put(end)
}

func (p pretty) print(v any, indent, allowance, depth int) {
	if depth > maxNested {
		throw("maximum recursion depth exceeded while getting the repr of an object")
	}
	if whole, ok := p.oneLine(v, 80-indent-allowance); ok {
		p.put(whole)
		return
	}
	switch v := v.(type) {
	case *Dict:
		p.put("{")
		keys := p.r.prettyKeys(v)
		for i, k := range keys {
			if i > 0 {
				p.next(indent)
			}
			name := p.r.Repr(k)
			p.put(name + ": ")
			more := 1
			if i == len(keys)-1 {
				more = allowance + 1
			}
			e, _ := p.r.Get(v, k)
			p.print(e, indent+1+utf8.RuneCountInString(name)+2, more, depth+1)
		}
		p.put("}")
	case *List:
		p.items("[", "]", v.Items, indent, allowance, depth)
	case Tuple:
		end := ")"
		if len(v) == 1 {
			end = ",)"
		}
		p.items("(", end, v, indent, allowance, depth)
	default:
		p.put(p.r.Repr(v))
	}
}
