package jinja

import (
	"maps"
	"slices"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// maxSandboxRange is the longest range that Jinja's sandbox allows.
const maxSandboxRange = 100000

var builtinGlobals map[string]any

func function(name string, f func(r *Run, a *Args) any) *Func { return &Func{Name: name, Call: f} }

func init() {
	builtinGlobals = map[string]any{
		"range": function("range", rangeFunc),
		"dict": function("dict", func(r *Run, a *Args) any {
			return r.dict(a)
		}),
		"namespace": function("namespace", func(r *Run, a *Args) any {
			return &Namespace{d: r.dict(a)}
		}),
		"cycler": function("cycler", func(r *Run, a *Args) any {
			if len(a.Pos) == 0 {
				throw("at least one item has to be provided")
			}
			return &cycler{items: a.Pos}
		}),
		"joiner": function("joiner", func(r *Run, a *Args) any {
			sep := a.Bind("joiner", 0, "sep").Str(0, ", ")
			used := false
			return &Func{Name: "joiner", Holds: sep, Call: func(*Run, *Args) any {
				if !used {
					used = true
					return ""
				}
				return sep
			}}
		}),
	}
}

func (r *Run) dict(a *Args) *Dict {
	d := &Dict{}
	for _, v := range a.Pos {
		r.fill(d, v)
	}
	r.fill(d, r.keywords(a))
	return d
}

func rangeFunc(_ *Run, a *Args) any {
	if len(a.Pos) == 0 {
		throw("range expected at least 1 argument, got 0")
	}
	if len(a.Pos) > 3 || len(a.names) > 0 {
		throw("range() takes at most 3 arguments and no keyword arguments")
	}
	n := make([]int64, len(a.Pos))
	for i, v := range a.Pos {
		failUndefined(v)
		x, ok := smallInt(v)
		if !ok {
			if _, big := toInt(v); big {
				throw("Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxSandboxRange)
			}
			throw("'%s' object cannot be interpreted as an integer", typeName(v))
		}
		if x > 1<<60 || x < -1<<60 {
			throw("Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxSandboxRange)
		}
		n[i] = x
	}
	rg := &Range{Stop: n[0], Step: 1}
	if len(n) > 1 {
		rg.Start, rg.Stop = n[0], n[1]
	}
	if len(n) > 2 {
		if rg.Step = n[2]; rg.Step == 0 {
			throw("range() arg 3 must not be zero")
		}
	}
	//mutant:render-range
	if rg.Len() > maxSandboxRange {
		throw("Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxSandboxRange)
	}
	return rg
}

// cycler is the result of cycler().
type cycler struct {
	items []any
	pos   int
}

func (c *cycler) TypeName() string { return "Cycler" }

func (c *cycler) Item(*Run, any) (any, bool) { return nil, false }

func (c *cycler) Attr(_ *Run, name string) (any, bool) {
	switch name {
	case "current":
		return c.items[c.pos], true
	case "next":
		return &Func{Name: "next", Holds: c, Call: func(*Run, *Args) any {
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v
		}}, true
	case "reset":
		return &Func{Name: "reset", Holds: c, Call: func(*Run, *Args) any { c.pos = 0; return nil }}, true
	}
	return nil, false
}
