package pyfmt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/value"
)

// Bounds on one document.
const (
	maxNodes   = 1 << 18 // including followed aliases
	maxEntries = 1 << 20 // for a file of options, written by an operator
	// maxDepth exceeds the depth of what a master publishes; the master rejects deeper
	// values by name.
	maxDepth = 200
	// lookValues is how many values are read between two checks of the context.
	lookValues = 1 << 12
)

// YAMLFault is an error in one line of a document.
type YAMLFault struct {
	Line int
	Key  string // the key whose value or position is wrong; empty if the fault concerns no key
	Text string
	// Salt is the message of Salt's loader, with lines and columns; "" if it has none.
	Salt string
}

// Error returns the message with the line and the key.
func (f *YAMLFault) Error() string {
	if f.Key == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Text)
	}
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Key, f.Text)
}

// ReadYAML reads the one YAML document of b into wire values: nil, bool, int64, uint64
// (decimal text beyond 64 bits), float64, string, []any and *value.Map. Maps are in Salt's
// order: merged entries (<<) before the map's own. An empty document is nil. The error is
// the first [YAMLFault].
func ReadYAML(b []byte) (any, error) { return ReadYAMLMax(b, maxNodes) }

// ReadYAMLMax is [ReadYAML] with another bound on the number of values, including those
// behind aliases.
func ReadYAMLMax(b []byte, values int) (any, error) {
	return ReadYAMLContext(context.Background(), b, values)
}

// ReadYAMLContext is [ReadYAMLMax] with a context.
func ReadYAMLContext(ctx context.Context, b []byte, values int) (any, error) {
	return read(&reader{left: values, ctx: ctx}, b)
}

// ReadYAMLBig is [ReadYAMLContext], but returns integers beyond int64 as *big.Int, and a
// !!binary that is not UTF-8 as []byte.
func ReadYAMLBig(ctx context.Context, b []byte, values int) (any, error) {
	return read(&reader{left: values, ctx: ctx, big: true}, b)
}

func read(r *reader, b []byte) (any, error) {
	var v any
	if root := r.document(b); root != nil {
		v = r.value(root, 0)
	}
	if len(r.faults) > 0 {
		return nil, r.faults[0]
	}
	return v, nil
}

// YAMLEntry is a key of a document with its value.
type YAMLEntry struct {
	Key, Value any
	Text       string // the source text of a scalar value
	Line       int
}

// YAMLEntries reads a document that is a map, as [ReadYAML] does. It returns all faults,
// and the position of each entry. Faulty parts are left out or nil.
func YAMLEntries(b []byte) ([]YAMLEntry, []*YAMLFault) {
	r := reader{left: maxEntries, ctx: context.Background()}
	root := r.document(b)
	switch {
	case root == nil:
	case root.Kind == yaml.MappingNode:
		return r.entries(root, 0), r.faults
	case root.Kind != yaml.ScalarNode || r.scalar(root) != nil:
		r.fault(root, "", "there should be lines of the form 'name: value', not "+kindName(root))
	}
	return nil, r.faults
}

// reader converts the nodes of one document to values. It records faults and returns nil
// for them.
type reader struct {
	ctx    context.Context
	left   int
	big    bool // integers beyond int64 are *big.Int, and bytes that are not UTF-8 are []byte
	faults []*YAMLFault
}

func (r *reader) fault(n *yaml.Node, key, text string) {
	r.faults = append(r.faults, &YAMLFault{Line: n.Line, Key: key, Text: text})
}

// document returns the root of the one document of b, or nil on a fault.
func (r *reader) document(b []byte) *yaml.Node {
	var doc, second yaml.Node
	err := r.decode(b, &doc, &second)
	for range maxMended {
		mended, ok := mend(err, b)
		if !ok {
			break
		}
		b, doc, second = mended, yaml.Node{}, yaml.Node{}
		r.faults = r.faults[:0]
		err = r.decode(b, &doc, &second)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.faults = append(r.faults, located(r.ctx, err, b))
		return nil
	}
	if len(doc.Content) == 0 {
		return nil
	}
	if bytes.IndexByte(b, '&') >= 0 {
		r.anchors(doc.Content[0], map[string]*yaml.Node{}, 0)
	}
	return doc.Content[0]
}

func (r *reader) decode(b []byte, doc, second *yaml.Node) error {
	dec := newDecoder(r.ctx, b)
	err := dec.Decode(doc)
	if err == nil {
		if err = dec.Decode(second); err == nil {
			r.fault(second, "", "a second document begins here; there may be one")
		}
	}
	return err
}

// anchors reports a fault for an anchor that names two values.
func (r *reader) anchors(n *yaml.Node, seen map[string]*yaml.Node, depth int) {
	if n.Kind == yaml.AliasNode || depth > maxDepth || len(r.faults) > 0 {
		return
	}
	if n.Anchor != "" {
		if first := seen[n.Anchor]; first != nil {
			r.fault(n, "", "the anchor "+n.Anchor+" is set twice")
			r.salt("found duplicate anchor; first occurrence" + mark(first) + "\nsecond occurrence" + mark(n))
			return
		}
		seen[n.Anchor] = n
	}
	for _, c := range n.Content {
		r.anchors(c, seen, depth+1)
	}
}

// more reports whether another value may be read.
func (r *reader) more(n *yaml.Node, depth int) bool {
	if r.left <= 0 {
		return false // reported already
	}
	if r.left%lookValues == 0 && r.ctx.Err() != nil {
		r.fault(n, "", "reading the document took too long: "+r.ctx.Err().Error())
		r.left = 0
		return false
	}
	if r.left--; r.left == 0 {
		r.fault(n, "", "the document is too large, with what its aliases stand for")
	} else if depth > maxDepth {
		r.fault(n, "", fmt.Sprintf("values are nested more than %d deep", maxDepth))
		r.left = 0
	}
	return r.left > 0
}

func (r *reader) value(n *yaml.Node, depth int) any {
	if !r.more(n, depth) {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!seq" {
			if n.ShortTag() == "!!pairs" {
				return r.twos(n, depth)
			}
			return r.unknown(n)
		}
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, r.value(c, depth+1))
		}
		return list
	case yaml.MappingNode:
		switch tag := n.ShortTag(); {
		case n.Style&yaml.TaggedStyle == 0 || tag == "!!map" || tag == "!!omap":
		case tag == "!!set":
			return r.set(n, depth)
		default:
			return r.unknown(n)
		}
		m := value.NewMap()
		for _, e := range r.entries(n, depth) {
			m.Set(e.Key, e.Value)
		}
		return m
	}
	return r.scalar(n)
}

// twos returns the pairs of !!pairs, each a list of a key and its value.
func (r *reader) twos(n *yaml.Node, depth int) any {
	out := make([]any, 0, len(n.Content))
	for _, c := range n.Content {
		if c.Kind != yaml.MappingNode || len(c.Content) != 2 {
			r.fault(c, "", "an element of !!pairs is a map with one key")
			return nil
		}
		out = append(out, []any{r.value(c.Content[0], depth+2), r.value(c.Content[1], depth+2)})
	}
	return out
}

// set returns the elements of a !!set as a list, since the wire has no sets.
func (r *reader) set(n *yaml.Node, depth int) any {
	out := []any{}
	for _, e := range r.entries(n, depth) {
		out = append(out, e.Key)
	}
	return out
}

// entries returns the entries of a map and of the maps it merges, each key once.
func (r *reader) entries(n *yaml.Node, depth int) []YAMLEntry {
	pairs := r.pairs(n, depth)
	lines := value.NewMap()
	out := make([]YAMLEntry, 0, len(pairs))
	for _, p := range pairs {
		key := r.key(p.key, depth)
		switch key.(type) {
		case []any, *value.Map:
			r.fault(p.key, "", "a list or map cannot be a key")
			r.salt("while constructing a mapping" + mark(n) + "\nfound unacceptable key" + mark(p.key))
			continue
		}
		same := sameKey(key)
		if line, twice := lines.GetKey(same); twice {
			r.fault(p.key, fmt.Sprint(key), fmt.Sprintf("is set twice; the first time in line %d", line))
			r.salt("while constructing a mapping" + mark(n) + "\nfound conflicting ID '" + Str(key) + "'" + mark(p.key))
			continue
		}
		lines.Set(same, p.key.Line)
		e := YAMLEntry{Key: key, Value: r.value(p.val, depth+1), Line: p.key.Line}
		if p.val.Kind == yaml.ScalarNode {
			e.Text = p.val.Value
		}
		out = append(out, e)
	}
	return out
}

// key reads a key of a map; = is a valid key.
func (r *reader) key(n *yaml.Node, depth int) any {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "=" {
		return "="
	}
	return r.value(n, depth+1)
}

// sameKey maps keys that are equal in Python to one key: 1, 1.0 and True.
func sameKey(key any) any {
	switch k := key.(type) {
	case bool:
		if k {
			return int64(1)
		}
		return int64(0)
	case float64:
		if n := int64(k); float64(n) == k {
			return n
		}
	}
	return key
}

type pair struct{ key, val *yaml.Node }

// pairs returns the pairs of a map, after those it merges. Salt skips a merged key if the
// map has one of the same text. A key of two merged maps appears twice.
func (r *reader) pairs(n *yaml.Node, depth int) []pair {
	if !r.more(n, depth) {
		return nil
	}
	var own, merged []pair
	texts := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.ShortTag() != "!!merge" {
			own = append(own, pair{k, v})
			if k = target(k); k.Kind == yaml.ScalarNode {
				texts[k.Value] = true
			}
			continue
		}
		sources := []*yaml.Node{target(v)}
		if sources[0].Kind == yaml.SequenceNode {
			sources = slices.Clone(sources[0].Content)
			slices.Reverse(sources)
		}
		for _, src := range sources {
			if src = target(src); src.Kind != yaml.MappingNode {
				r.fault(k, "<<", "merges a map or a list of maps, not "+kindName(src))
				continue
			}
			more := r.pairs(src, depth+1)
			if r.left -= len(more); r.left <= 0 {
				r.left = 1 // reported as the last value
				r.more(src, depth)
				return nil
			}
			merged = append(merged, more...)
		}
	}
	merged = slices.DeleteFunc(merged, func(p pair) bool {
		k := target(p.key)
		return k.Kind == yaml.ScalarNode && texts[k.Value]
	})
	return append(merged, own...)
}

func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("the text %q", n.Value)
}

func (r *reader) unknown(n *yaml.Node) any {
	r.fault(n, "", "the tag "+n.Tag+" is not known here; leave it out")
	r.salt("could not determine a constructor for the tag '" + n.LongTag() + "'" + mark(n))
	return nil
}

// salt sets Salt's message of the last fault.
func (r *reader) salt(text string) { r.faults[len(r.faults)-1].Salt = text }

// mark returns a position in the form of Salt's loader.
func mark(n *yaml.Node) string {
	return fmt.Sprintf("\n  in \"<unicode string>\", line %d, column %d", n.Line, n.Column)
}
