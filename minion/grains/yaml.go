package grains

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/wire"
)

// maxYAMLNodes bounds what one document may grow to when its aliases are
// written out.
const maxYAMLNodes = 1 << 18

// ParseYAML reads one YAML document into wire values (maps as *wire.Map in the
// order of the text). Plain scalars follow YAML 1.1 as PyYAML reads them: yes
// and on are true, 010 is eight. An empty document is nil.
func ParseYAML(b []byte) (any, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	r := yamlReader{left: maxYAMLNodes}
	return r.value(&doc, 0)
}

type yamlReader struct{ left int }

func (r *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if r.left--; r.left < 0 || depth > 100 {
		return nil, fmt.Errorf("line %d: document too large or nested too deeply", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
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
		return r.mapping(n, depth)
	}
	return scalar(n), nil
}

func (r *yamlReader) mapping(n *yaml.Node, depth int) (any, error) {
	m := wire.NewMap()
	var merged []*wire.Map
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := r.value(n.Content[i], depth+1)
		if err != nil {
			return nil, err
		}
		switch key.(type) {
		case []any, *wire.Map:
			return nil, fmt.Errorf("line %d: a list or map cannot be a key", n.Content[i].Line)
		}
		v, err := r.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, mergeSources(v)...)
			continue
		}
		m.Set(key, v)
	}
	for _, src := range merged {
		src.Range(func(k, v any) bool {
			if !hasKey(m, k) {
				m.Set(k, v)
			}
			return true
		})
	}
	return m, nil
}

func mergeSources(v any) []*wire.Map {
	switch v := v.(type) {
	case *wire.Map:
		return []*wire.Map{v}
	case []any:
		var out []*wire.Map
		for _, e := range v {
			if m, ok := e.(*wire.Map); ok {
				out = append(out, m)
			}
		}
		return out
	}
	return nil
}

func hasKey(m *wire.Map, key any) bool {
	for _, k := range m.Keys() {
		if k == key {
			return true
		}
	}
	return false
}

func scalar(n *yaml.Node) any {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.ShortTag() == "!!binary" {
		if b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), "")); err == nil {
			return string(b)
		}
		return n.Value
	}
	if n.Style&quoted != 0 || n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str" {
		return n.Value
	}
	return plain(n.Value)
}

var (
	yamlBinary  = regexp.MustCompile(`^[-+]?0b[01_]+$`)
	yamlOctal   = regexp.MustCompile(`^[-+]?0[0-7_]+$`)
	yamlDecimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9_]*)$`)
	yamlHex     = regexp.MustCompile(`^[-+]?0x[0-9a-fA-F_]+$`)
	yamlSixty   = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$`)
	yamlFloat   = regexp.MustCompile(`^[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?)$`)
)

// plain gives a plain scalar its type by YAML 1.1.
func plain(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return true
	case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return false
	}
	digits := strings.ReplaceAll(s, "_", "")
	base := 0
	switch {
	case yamlBinary.MatchString(s):
		base, digits = 2, strings.Replace(digits, "0b", "", 1)
	case yamlHex.MatchString(s):
		base, digits = 16, strings.Replace(digits, "0x", "", 1)
	case yamlDecimal.MatchString(s):
		base = 10
	case yamlOctal.MatchString(s):
		base = 8
	case yamlSixty.MatchString(s):
		return sexagesimal(s, digits)
	case yamlFloat.MatchString(s):
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return f
		}
		return s
	default:
		return special(s)
	}
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, 64); err == nil {
		return n
	}
	if n, ok := new(big.Int).SetString(digits, base); ok {
		// Whole numbers beyond 64 bits travel as decimal text.
		return n.String()
	}
	return s
}

func special(s string) any {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case ".inf", ".nan":
		f, err := strconv.ParseFloat(strings.Replace(s, ".", "", 1), 64)
		if err == nil {
			return f
		}
	}
	return s
}

func sexagesimal(s, digits string) any {
	sign := int64(1)
	if strings.HasPrefix(digits, "-") {
		sign = -1
	}
	var sum int64
	for _, part := range strings.Split(strings.TrimLeft(digits, "+-"), ":") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || sum > (1<<62)/60 {
			return s
		}
		sum = sum*60 + n
	}
	return sign * sum
}

// Scalar gives a type to the text of one argument as Salt's command line does:
// numbers, booleans and flow lists and maps are read as YAML, all else stays
// text.
func Scalar(text string) any {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return text
	case trimmed == "None":
		return nil
	case strings.ContainsAny(trimmed[:1], "#|!>&*%@`"):
		return text
	case strings.Contains(trimmed, "_") && strings.Trim(trimmed, "0123456789_") == "":
		return text
	}
	v, err := ParseYAML([]byte(text))
	if err != nil {
		return text
	}
	switch v.(type) {
	case []any:
		if trimmed[0] != '[' {
			return text
		}
	case *wire.Map:
		if trimmed[0] != '{' {
			return text
		}
	case string:
		// A comment or a line break would be lost.
		if trimmed[0] != '\'' && trimmed[0] != '"' {
			return text
		}
	}
	return v
}

// FormatYAML writes wire values as a block-style YAML document that PyYAML and
// [ParseYAML] read back to the same values.
func FormatYAML(v any) ([]byte, error) {
	n, err := yamlNode(v)
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

func yamlNode(v any) (*yaml.Node, error) {
	n := &yaml.Node{}
	switch v := v.(type) {
	case string:
		n.SetString(v)
		if p, text := plain(v).(string); !text || p != v || yamlDecimal.MatchString(v) {
			n.Style = yaml.SingleQuotedStyle
		}
		return n, nil
	case []byte:
		return yamlNode(string(v))
	case float64:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", python.YAMLFloat(v)
		return n, nil
	case []any:
		n.Kind = yaml.SequenceNode
		for _, e := range v {
			c, err := yamlNode(e)
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
			if kn, err = yamlNode(k); err != nil {
				return false
			}
			if vn, err = yamlNode(val); err != nil {
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
