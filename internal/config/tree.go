package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/yaml11"
)

// Bounds on one configuration file.
const (
	maxFileBytes = 16 << 20
	maxNodes     = 1 << 20 // after aliases are followed
	maxDepth     = 200
)

// setting is one top-level entry of a file.
type setting struct {
	name  string
	value any    // nil, bool, int64, *big.Int, float64, string, []any, map[string]any
	text  string // a scalar as it was written
	place Place
}

// tree turns the nodes of one file into values.
type tree struct {
	file   string
	nodes  int
	faults []error
}

// parse reads the settings of one file in their order, and all faults of it.
func parse(file string, data []byte) ([]setting, []error) {
	t := &tree{file: file}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, []error{t.syntax(err, data)}
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		t.fault(second.Line, "", "a second document begins here; a configuration file holds one")
	} else if !errors.Is(err, io.EOF) {
		return nil, []error{t.syntax(err, data)}
	}
	if len(doc.Content) == 0 {
		return nil, t.faults
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && t.scalar(root) == nil {
		return nil, t.faults
	}
	if root.Kind != yaml.MappingNode {
		t.fault(root.Line, "", fmt.Sprintf("the file should hold options as 'name: value' lines, not %s", kindName(root)))
		return nil, t.faults
	}
	var out []setting
	t.pairs(root, 0, func(key string, k, v *yaml.Node) {
		s := setting{name: key, value: t.value(v, 1), place: Place{file, k.Line}}
		if v.Kind == yaml.ScalarNode {
			s.text = v.Value
		}
		out = append(out, s)
	})
	return out, t.faults
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

var anchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// countedFromZero are the errors of the YAML library whose line is counted from 0: those
// of its parser, while those of its scanner are counted from 1.
var countedFromZero = regexp.MustCompile(`^did not find expected (?:node content|key|'-' indicator|',' or|<)`)

func (t *tree) syntax(err error, data []byte) error {
	line, text := 1, err.Error() // no line is named where it is the first
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
			if countedFromZero.MatchString(text) {
				line++
			}
		}
	}
	// The end of a file that ends with a line end counts as one more line there.
	line = min(line, bytes.Count(bytes.TrimRight(data, "\n"), []byte{'\n'})+1)
	if m := anchor.FindStringSubmatch(text); m != nil { // it names no line at all
		if at := bytes.Index(data, []byte("*"+m[1])); at >= 0 {
			line = bytes.Count(data[:at], []byte{'\n'}) + 1
		}
	}
	if strings.Contains(text, "that cannot start any token") {
		text += " (indent with spaces, and quote values that begin with @, ` or a tab)"
	}
	return &Fault{Place: Place{t.file, line}, Text: "invalid YAML: " + text}
}

func (t *tree) fault(line int, option, text string) {
	t.faults = append(t.faults, &Fault{Place: Place{t.file, line}, Option: option, Text: text})
}

// value turns a node into a value; what is wrong is noted and becomes nil.
func (t *tree) value(n *yaml.Node, depth int) any {
	if t.nodes++; t.nodes == maxNodes {
		t.fault(n.Line, "", fmt.Sprintf("the file holds more than %d values (aliases counted)", maxNodes))
	}
	if t.nodes >= maxNodes {
		return nil
	}
	if depth > maxDepth {
		t.fault(n.Line, "", fmt.Sprintf("values are nested more than %d deep", maxDepth))
		t.nodes = maxNodes
		return nil
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return t.scalar(n)
	case yaml.AliasNode:
		return t.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, t.value(c, depth+1))
		}
		return list
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		t.pairs(n, depth, func(key string, _, v *yaml.Node) { m[key] = t.value(v, depth+1) })
		return m
	}
	return nil
}

// pairs walks a mapping with its merges (<<), and notes duplicate keys.
func (t *tree) pairs(n *yaml.Node, depth int, fn func(key string, k, v *yaml.Node)) {
	seen := map[string]int{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Value == "<<" && k.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
			merges = append(merges, v)
			continue
		}
		key, ok := t.key(k)
		if !ok {
			continue
		}
		if line, dup := seen[key]; dup {
			t.fault(k.Line, key, fmt.Sprintf("is set twice; the first time in line %d", line))
			continue
		}
		seen[key] = k.Line
		fn(key, k, v)
	}
	for _, m := range merges {
		t.merge(m, depth, seen, fn)
	}
}

// merge adds the pairs of merged mappings that the mapping itself lacks.
func (t *tree) merge(n *yaml.Node, depth int, seen map[string]int, fn func(key string, k, v *yaml.Node)) {
	if t.nodes++; depth > maxDepth || t.nodes >= maxNodes {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		t.merge(n.Alias, depth+1, seen, fn)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			t.merge(c, depth+1, seen, fn)
		}
	case yaml.MappingNode:
		t.pairs(n, depth+1, func(key string, k, v *yaml.Node) {
			if _, ok := seen[key]; !ok {
				seen[key] = k.Line
				fn(key, k, v)
			}
		})
	default:
		t.fault(n.Line, "<<", "merges a mapping or a list of mappings, not "+kindName(n))
	}
}

func (t *tree) key(k *yaml.Node) (string, bool) {
	for range 10 {
		if k.Kind != yaml.AliasNode {
			break
		}
		k = k.Alias
	}
	if k.Kind != yaml.ScalarNode {
		t.fault(k.Line, "", "a name should be a word, not "+kindName(k))
		return "", false
	}
	return pyText(t.scalar(k)), true
}

func (t *tree) scalar(n *yaml.Node) any {
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style == 0 {
			return yaml11.Scalar(n.Value)
		}
		return n.Value
	}
	switch n.Tag {
	case "!!str", "!", "!!python/unicode", "!!python/str", "!!timestamp":
		return n.Value
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		return yaml11.Scalar(n.Value)
	}
	t.fault(n.Line, "", fmt.Sprintf("the tag %s is not known here; leave it out", n.Tag))
	return nil
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	return fmt.Sprintf("the text %q", n.Value)
}
