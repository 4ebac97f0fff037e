package arguments

import (
	"errors"
	"io"
	"math/big"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// Bounds on one argument; beyond them it stays text.
const (
	maxNodes = 1 << 18 // aliases followed
	// maxDepth lies above what a master publishes, which refuses the rest by name.
	maxDepth = 200
)

// errText is returned where a text shall stay what it is.
var errText = errors.New("not YAML that an argument may be")

// Value reads one word as YAML: nil, bool, int64, uint64, float64, string, []any
// or *wire.Map. A list has to be in brackets and a map in braces.
func Value(text string) any {
	trimmed := strings.TrimSpace(text)
	switch trimmed {
	case "", "---", "...":
		return text
	case "|", ">", "!":
		return text
	}
	if text == "None" {
		return nil
	}
	if strings.Contains(text, "_") && strings.Trim(trimmed, "0123456789_") == "" {
		return text // 1_000 is no number here
	}
	if strings.ContainsAny(text, "\t\r\n") {
		return text
	}
	v, err := load(text)
	if err != nil {
		return text
	}
	switch v.(type) {
	case *wire.Map:
		if !strings.HasPrefix(text, "{") {
			return text
		}
	case []any:
		if !strings.HasPrefix(text, "[") {
			return text
		}
	case string, nil:
		if strings.Contains(text, "#") {
			return text // a comment would be lost
		}
	}
	return v
}

func load(text string) (any, error) {
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errText
	}
	if len(doc.Content) != 1 {
		return nil, errText
	}
	r := &reader{}
	return r.value(doc.Content[0], 0)
}

type reader struct{ nodes int }

func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return nil, errText
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n)
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!seq" {
			return nil, errText
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
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!map" {
			return nil, errText
		}
		return r.mapping(n, depth)
	}
	return nil, errText
}

// mapping reads a map; a key that is there twice makes the whole stay text, as
// does one that is no scalar.
func (r *reader) mapping(n *yaml.Node, depth int) (any, error) {
	m, merged := wire.NewMap(), wire.NewMap()
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		key, err := r.value(k, depth+1)
		if err != nil {
			return nil, err
		}
		val, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if k.Kind == yaml.ScalarNode && k.Style == 0 && k.Value == "<<" {
			if err := merge(merged, val); err != nil {
				return nil, err
			}
			continue
		}
		switch key.(type) {
		case nil, bool, int64, uint64, float64, string:
		default:
			return nil, errText
		}
		if _, twice := m.GetKey(key); twice {
			return nil, errText
		}
		m.Set(key, val)
	}
	merged.Range(func(k, v any) bool {
		if _, own := m.GetKey(k); !own {
			m.Set(k, v)
		}
		return true
	})
	return m, nil
}

// merge adds what the key << names: a map, or a list of maps of which the first
// that has a key counts.
func merge(into *wire.Map, val any) error {
	switch v := val.(type) {
	case *wire.Map:
		v.Range(func(k, e any) bool {
			if _, has := into.GetKey(k); !has {
				into.Set(k, e)
			}
			return true
		})
		return nil
	case []any:
		for _, e := range v {
			if _, ok := e.(*wire.Map); !ok {
				return errText
			}
			if err := merge(into, e); err != nil {
				return err
			}
		}
		return nil
	}
	return errText
}

func scalar(n *yaml.Node) (any, error) {
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return n.Value, nil
		}
		return short(config.Scalar(n.Value)), nil
	}
	v := short(config.Scalar(n.Value))
	ok := false
	switch n.Tag {
	case "!!str", "!!timestamp":
		return n.Value, nil
	case "!!null":
		return nil, nil
	case "!!bool":
		_, ok = v.(bool)
	case "!!int":
		_, ok = v.(int64)
	case "!!float":
		if i, isInt := v.(int64); isInt {
			return float64(i), nil
		}
		_, ok = v.(float64)
	}
	if !ok {
		return nil, errText
	}
	return v, nil
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
