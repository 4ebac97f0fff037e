package target

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/pyre"
)

// Bounds on data targets such as os:Debian.
const (
	maxLevels = 64      // delimiters in a target
	maxSteps  = 1 << 18 // steps per subject
)

// compare is the way in which a value is compared with a pattern.
type compare uint8

const (
	byGlob compare = iota
	byPCRE
	exactly
)

// path is a target for data: keys and a pattern joined by a delimiter. Keys and values may
// contain the delimiter, so every way to split is tried, the longest key first.
type path struct {
	text string
	ways []way
}

type way struct {
	everywhere bool  // the key is *: the whole text is compared with the whole data
	keys       []key // the key, split at the delimiter
	pattern    *pattern
}

// key is a part of a key.
type key struct {
	text string
	// other is the key as a YAML value, such as a number, which is looked up too. If it equals
	// the text, there is no other key.
	other any
}

// pattern is the right side of a way to split.
type pattern struct {
	text string
	test func(value string) Tri // value is in lower case
	rest *pattern               // the text without a leading *:
	path *path                  // the text as a path of its own, split at colons
}

// compiler shares the patterns of one target, because all are suffixes of one text.
type compiler struct {
	how      compare
	patterns map[string]*pattern
	keys     map[string]key
	good     bool  // some part can match
	err      error // of the last part that is not a valid regular expression
}

func compilePath(text, delimiter string, how compare) (*path, error) {
	if delimiter == "" {
		delimiter = ":"
	}
	if !strings.Contains(text, delimiter) {
		return nil, fmt.Errorf("%q lacks the delimiter %q between key and value", text, delimiter)
	}
	if n := strings.Count(text, delimiter) + strings.Count(text, ":"); n > maxLevels {
		return nil, fmt.Errorf("%.40q... has %d levels; at most %d are taken", text, n, maxLevels)
	}
	c := &compiler{how: how, patterns: map[string]*pattern{}, keys: map[string]key{}}
	p := c.path(text, delimiter)
	if !c.good {
		return nil, c.err
	}
	return p, nil
}

func (c *compiler) path(text, delimiter string) *path {
	splits := strings.Split(text, delimiter)
	if len(splits) == 1 {
		return nil
	}
	keys := make([]key, len(splits))
	for i, s := range splits {
		if _, ok := c.keys[s]; !ok {
			c.keys[s] = key{s, pyfmt.YAMLWord(s)}
		}
		keys[i] = c.keys[s]
	}
	p := &path{text: text}
	for i := len(splits) - 1; i > 0; i-- {
		key := strings.Join(splits[:i], delimiter)
		if key == "*" {
			p.ways = append(p.ways, way{everywhere: true, pattern: c.pattern(text)})
			continue
		}
		p.ways = append(p.ways, way{keys: keys[:i], pattern: c.pattern(strings.Join(splits[i:], delimiter))})
	}
	return p
}

func (c *compiler) pattern(text string) *pattern {
	if p, ok := c.patterns[text]; ok {
		return p
	}
	p := &pattern{text: text}
	c.patterns[text] = p
	lower := pyfmt.Lower(text)
	switch c.how {
	case exactly:
		p.test = func(s string) Tri { return tri(s == lower) }
		c.good = true
	case byGlob:
		glob := compileGlob(lower)
		p.test = func(s string) Tri { return tri(glob.match(s)) }
		c.good = true
	case byPCRE:
		re, err := pyre.Compile(lower)
		if err != nil {
			// A suffix of a regular expression need not be valid itself, and a lone * checks
			// that the key exists.
			c.good = c.good || text == "*"
			c.err = err
			p.test = func(string) Tri { return No }
			break
		}
		p.test = func(s string) Tri { return triOf(re.Match(s)) }
		c.good = true
	default:
		panic("target: unknown comparison")
	}
	if rest, ok := strings.CutPrefix(text, "*:"); ok {
		p.rest = c.pattern(rest)
	}
	p.path = c.path(text, ":")
	return p
}

// match evaluates the target against data.
func (p *path) match(data any) Tri {
	w := walk{left: maxSteps}
	switch {
	case w.path(p, data):
		return Yes
	case w.open || w.left <= 0:
		return Unknown
	}
	return No
}

// walk is the state of one evaluation; left bounds its work.
type walk struct {
	left int
	open bool // the result of a comparison is unknown
}

func (w *walk) step() bool {
	w.left--
	return w.left > 0
}

func (w *walk) path(p *path, data any) bool {
	for i := range p.ways {
		if !w.step() {
			return false
		}
		way := &p.ways[i]
		found, ok := data, true
		if !way.everywhere {
			found, ok = lookup(data, way.keys)
		}
		if !ok {
			continue
		}
		if d, isDict := asDict(found); isDict {
			if d.len() > 0 && w.dict(d, way.pattern) {
				return true
			}
			continue
		}
		if list, isList := wire.AsList(found); isList {
			for _, e := range list {
				if d, isDict := asDict(e); isDict && w.dict(d, way.pattern) {
					return true
				}
				if w.value(e, way.pattern) {
					return true
				}
			}
			continue
		}
		if w.value(found, way.pattern) {
			return true
		}
	}
	return false
}

func (w *walk) value(v any, p *pattern) bool {
	if !w.step() {
		return false
	}
	text := pyfmt.Str(v)
	w.left -= len(text) / 64
	answer := p.test(pyfmt.Lower(text))
	w.open = w.open || answer == Unknown
	return answer == Yes
}

// dict compares the keys of a map, or the values below them.
func (w *walk) dict(d dict, p *pattern) bool {
	if !w.step() {
		return false
	}
	wildcard := p.rest != nil
	if wildcard {
		p = p.rest
	}
	if p.text == "*" {
		return true
	}
	if _, ok := d.get(p.text); ok {
		return true
	}
	//mutant:hostile-target-nested-2,target-nested-values
	if d.anyKey(func(key any) bool { return w.value(key, p) }) {
		return true
	}
	if p.path != nil {
		var data any = d.plain
		if d.wire != nil {
			data = d.wire
		}
		if w.path(p.path, data) {
			return true
		}
	}
	if !wildcard {
		return false
	}
	found := false
	d.each(func(v any) bool {
		if sub, ok := asDict(v); ok {
			found = w.dict(sub, p)
		} else if list, ok := wire.AsList(v); ok {
			for _, e := range list {
				if found = w.value(e, p); found {
					break
				}
			}
		} else {
			found = w.value(v, p)
		}
		return !found && w.left > 0
	})
	return found
}

// lookup follows keys through maps and lists.
func lookup(data any, keys []key) (any, bool) {
	for _, k := range keys {
		if list, ok := wire.AsList(data); ok {
			if data, ok = element(list, k.text); !ok {
				return nil, false
			}
			continue
		}
		d, ok := asDict(data)
		if !ok {
			return nil, false
		}
		if data, ok = d.get(k.text); ok {
			continue
		}
		if text, isText := k.other.(string); isText {
			data, ok = d.get(text)
		} else {
			data, ok = d.getAny(k.other)
		}
		if !ok {
			return nil, false
		}
	}
	return data, true
}

// element returns the value of a key in the first map of a list that has it, or the element
// with that index.
func element(list []any, key string) (any, bool) {
	idx, ok := pyfmt.Int(key)
	for _, e := range list {
		d, isDict := asDict(e)
		if !isDict {
			continue
		}
		if ok {
			if v, found := d.getAny(idx); found {
				return v, true
			}
		} else if v, found := d.get(key); found {
			return v, true
		}
	}
	if !ok {
		return nil, false
	}
	if idx < 0 {
		idx += int64(len(list))
	}
	if idx < 0 || idx >= int64(len(list)) {
		return nil, false
	}
	return list[idx], true
}
