package pyfmt

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// reserved reports whether a plain scalar is reserved by YAML 1.1: Salt's loader has no
// value for it.
func reserved(s string) bool { return s == "=" || s == "<<" }

// scalar returns the value of a scalar by its quotes and its tag.
func (r *reader) scalar(n *yaml.Node) any {
	if n.Tag == "!" {
		return n.Value
	}
	if n.Style&yaml.TaggedStyle == 0 {
		const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
		switch {
		case n.Style&quoted != 0:
			return n.Value
		case reserved(n.Value):
			r.fault(n, "", n.Value+" needs quotes to be a text")
			r.salt("could not determine a constructor for the tag 'tag:yaml.org,2002:" + map[string]string{"=": "value", "<<": "merge"}[n.Value] + "'" + mark(n))
			return nil
		}
		return r.short(YAMLScalar(n.Value))
	}
	v := YAMLScalar(n.Value)
	ok := false
	switch n.ShortTag() {
	case "!!str", "!!timestamp", "!!python/unicode":
		return n.Value
	case "!!null":
		return nil
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			r.fault(n, "", fmt.Sprintf("!!binary is not base64: %v", err))
		}
		if r.big && !utf8.Valid(b) {
			return b
		}
		return string(b)
	case "!!bool":
		_, ok = v.(bool)
	case "!!int":
		switch v.(type) {
		case int64, *big.Int:
			ok = true
		}
	case "!!float":
		if i, whole := v.(int64); whole {
			return float64(i)
		}
		_, ok = v.(float64)
	default:
		return r.unknown(n)
	}
	if !ok {
		r.fault(n, "", fmt.Sprintf("%q is no %s", n.Value, n.Tag))
		return nil
	}
	return r.short(v)
}

// short returns numbers beyond 64 bits as text, as Salt sends them.
func (r *reader) short(v any) any {
	n, ok := v.(*big.Int)
	switch {
	case !ok || r.big:
		return v
	case n.IsUint64():
		return n.Uint64()
	}
	return n.String()
}
