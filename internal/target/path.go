package target

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/yaml11"
)

// Bounds on data targets such as os:Debian.
const (
	maxLevels = 64      // of delimiters in one target
	maxSteps  = 1 << 18 // of work on one subject
)

// compare is how a value is compared with a pattern.
type compare uint8

const (
	byGlob compare = iota
	byPCRE
	exactly
)

// path is a target in data: keys and a pattern joined by a delimiter. Since
// keys and values may hold the delimiter too, every way to split it is tried,
// the longest key first.
type path struct {
	text string
	ways []way
}

type way struct {
	everywhere bool     // the key is *: the whole data is compared with the whole text
	keys       []string // the key, split
	pattern    *pattern
}

// pattern is the right side of a way.
type pattern struct {
	text string
	test func(value string) bool // value in lower case
	rest *pattern                // the text without a leading *:
	path *path                   // the text as a path of its own, split at colons
}

// compiler shares the patterns of one target: all are ends of one text.
type compiler struct {
	how      compare
	patterns map[string]*pattern
	good     bool  // some part can match
	err      error // of the last part that is no regular expression
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
	c := &compiler{how: how, patterns: map[string]*pattern{}}
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
	p := &path{text: text}
	for i := len(splits) - 1; i > 0; i-- {
		key := strings.Join(splits[:i], delimiter)
		if key == "*" {
			p.ways = append(p.ways, way{everywhere: true, pattern: c.pattern(text)})
			continue
		}
		p.ways = append(p.ways, way{keys: splits[:i], pattern: c.pattern(strings.Join(splits[i:], delimiter))})
	}
	return p
}

func (c *compiler) pattern(text string) *pattern {
	if p, ok := c.patterns[text]; ok {
		return p
	}
	p := &pattern{text: text}
	c.patterns[text] = p
	lower := strings.ToLower(text)
	switch c.how {
	case exactly:
		p.test = func(s string) bool { return s == lower }
		c.good = true
	case byGlob:
		p.test = compileGlob(lower).match
		c.good = true
	case byPCRE:
		re, err := compilePCRE(lower)
		if err != nil {
			// The end of a regular expression need not be one itself, and a
			// lone * asks whether the key is there.
			c.good = c.good || text == "*"
			c.err = err
			p.test = func(string) bool { return false }
			break
		}
		p.test = re.match
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

// match looks the target up in data.
func (p *path) match(data any) bool {
	w := walk{left: maxSteps}
	return w.path(p, data)
}

// walk is one look-up; left bounds its work.
type walk struct{ left int }

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
	text := python.Str(v)
	w.left -= len(text) / 64
	return p.test(strings.ToLower(text))
}

// dict compares the keys of a map, or what is below them.
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
func lookup(data any, keys []string) (any, bool) {
	for _, key := range keys {
		if list, ok := wire.AsList(data); ok {
			if data, ok = element(list, key); !ok {
				return nil, false
			}
			continue
		}
		d, ok := asDict(data)
		if !ok {
			return nil, false
		}
		v, ok := d.get(key)
		if !ok {
			// A key that reads as a number or a word like yes is looked up as
			// that too.
			var other any
			if other = yaml11.Scalar(key); other == nil {
				return nil, false
			}
			if _, text := other.(string); text {
				return nil, false
			}
			if v, ok = d.getAny(other); !ok {
				return nil, false
			}
		}
		data = v
	}
	return data, true
}

// element takes a key of the first map in a list that has it, or the element
// with that number.
func element(list []any, key string) (any, bool) {
	idx, ok := pyInt(key)
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

// pyInt is Python's int() of a text.
func pyInt(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	if big, ok := new(big.Int).SetString(s, 10); ok && big.Sign() != 0 {
		return 1<<62 - 1, true // beyond any list
	}
	return 0, false
}
