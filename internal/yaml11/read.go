package yaml11

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/wire"
)

// Bounds on one document.
const (
	maxNodes = 1 << 18 // aliases followed
	// maxDepth lies above what a master publishes, which refuses the rest by name.
	maxDepth = 200
)

// Read reads the one YAML document of b into wire values: nil, bool, int64, uint64
// (decimal text beyond 64 bits), float64, string, []any, and *wire.Map in Salt's
// order, what a map merges (<<) before its own. An empty document is nil. An error
// names the line.
func Read(b []byte) (any, error) {
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	if err := dec.Decode(&second); err == nil {
		return nil, fmt.Errorf("line %d: a second document begins here; there may be one", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	r := reader{left: maxNodes}
	return r.value(doc.Content[0], 0)
}

type reader struct{ left int }

func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	if err := r.count(n, depth); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!seq" {
			return nil, unknown(n)
		}
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!map" {
			return nil, unknown(n)
		}
		return r.mapping(n, depth)
	}
	return scalar(n)
}

func (r *reader) count(n *yaml.Node, depth int) error {
	if r.left--; r.left < 0 || depth > maxDepth {
		return fmt.Errorf("line %d: document too large or nested too deeply", n.Line)
	}
	return nil
}

func (r *reader) mapping(n *yaml.Node, depth int) (any, error) {
	pairs, err := r.pairs(n, depth)
	if err != nil {
		return nil, err
	}
	m := wire.NewMap()
	for _, p := range pairs {
		key, err := r.value(p.key, depth+1)
		if err != nil {
			return nil, err
		}
		switch key.(type) {
		case []any, *wire.Map:
			return nil, fmt.Errorf("line %d: a list or map cannot be a key", p.key.Line)
		}
		if _, twice := m.GetKey(key); twice {
			return nil, fmt.Errorf("line %d: the key %v is there twice", p.key.Line, key)
		}
		v, err := r.value(p.val, depth+1)
		if err != nil {
			return nil, err
		}
		m.Set(key, v)
	}
	return m, nil
}

type pair struct{ key, val *yaml.Node }

// pairs are the pairs of a map behind those that it merges. Salt passes over a
// merged key when the map has one of the same text; of two merged maps with a key in
// common none goes before the other, so the key is there twice.
func (r *reader) pairs(n *yaml.Node, depth int) ([]pair, error) {
	if err := r.count(n, depth); err != nil {
		return nil, err
	}
	var own, merged []pair
	var texts []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.ShortTag() != "!!merge" {
			own = append(own, pair{k, v})
			if k = target(k); k.Kind == yaml.ScalarNode {
				texts = append(texts, k.Value)
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
				return nil, fmt.Errorf("line %d: << merges a map or a list of maps", k.Line)
			}
			more, err := r.pairs(src, depth+1)
			if err != nil {
				return nil, err
			}
			if r.left -= len(more); r.left < 0 {
				return nil, r.count(src, depth)
			}
			merged = append(merged, more...)
		}
	}
	merged = slices.DeleteFunc(merged, func(p pair) bool {
		k := target(p.key)
		return k.Kind == yaml.ScalarNode && slices.Contains(texts, k.Value)
	})
	return append(merged, own...), nil
}

func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func unknown(n *yaml.Node) error {
	return fmt.Errorf("line %d: the tag %s is not known here", n.Line, n.Tag)
}

// reserved tells of a plain word that YAML 1.1 keeps for itself: Salt's loader has no
// value for it.
func reserved(s string) bool { return s == "=" || s == "<<" }

func scalar(n *yaml.Node) (any, error) {
	if n.Style&yaml.TaggedStyle == 0 {
		const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
		switch {
		case n.Style&quoted != 0:
			return n.Value, nil
		case reserved(n.Value):
			return nil, fmt.Errorf("line %d: %s needs quotes to be a text", n.Line, n.Value)
		}
		return short(Scalar(n.Value)), nil
	}
	v := Scalar(n.Value)
	ok := false
	switch n.ShortTag() {
	case "!!str", "!!timestamp", "!!python/unicode":
		return n.Value, nil
	case "!!null":
		return nil, nil
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return nil, fmt.Errorf("line %d: !!binary is not base64: %w", n.Line, err)
		}
		return string(b), nil
	case "!!bool":
		_, ok = v.(bool)
	case "!!int":
		switch v.(type) {
		case int64, *big.Int:
			ok = true
		}
	case "!!float":
		if i, whole := v.(int64); whole {
			return float64(i), nil
		}
		_, ok = v.(float64)
	default:
		return nil, unknown(n)
	}
	if !ok {
		return nil, fmt.Errorf("line %d: %q is no %s", n.Line, n.Value, n.Tag)
	}
	return short(v), nil
}

// short gives numbers beyond the wire's 64 bits as text, as Salt sends them.
func short(v any) any {
	n, ok := v.(*big.Int)
	switch {
	case !ok:
		return v
	case n.IsUint64():
		return n.Uint64()
	}
	return n.String()
}
