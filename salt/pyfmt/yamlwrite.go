package pyfmt

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/wire"
)

// FormatYAML writes wire values as a block-style YAML document that PyYAML and
// [ReadYAML] read back to the same values.
func FormatYAML(v any) ([]byte, error) {
	n, err := node(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

func node(v any) (*yaml.Node, error) {
	n := &yaml.Node{}
	switch v := v.(type) {
	case string:
		n.SetString(v)
		if _, text := YAMLScalar(v).(string); !text || reserved(v) {
			n.Style = yaml.SingleQuotedStyle
		}
		return n, nil
	case []byte:
		return node(string(v))
	case float64:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", YAMLFloat(v)
		return n, nil
	case []any:
		n.Kind = yaml.SequenceNode
		for _, e := range v {
			c, err := node(e)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, c)
		}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		return n, nil
	case *wire.Map:
		n.Kind = yaml.MappingNode
		var err error
		v.Range(func(k, val any) bool {
			var kn, vn *yaml.Node
			if kn, err = node(k); err != nil {
				return false
			}
			if vn, err = node(val); err != nil {
				return false
			}
			n.Content = append(n.Content, kn, vn)
			return true
		})
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		return n, err
	}
	return n, n.Encode(v)
}
