package target

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

var enginePrefix = regexp.MustCompile(`^[A-Z]@`)

func operator(w string) bool {
	switch w {
	case "and", "or", "not", "(", ")":
		return true
	}
	return false
}

// ExpandNodegroup returns the compound words of a node group, with nested groups expanded. The
// words are the same as Salt's, so that a target sent as these words has the same meaning for
// every peer: a group of plain names becomes one list, a group of plain expressions one
// expression, and only a group that contains others is put in parentheses.
func ExpandNodegroup(name string, groups map[string]any) ([]string, error) {
	x := &expander{groups: groups}
	return x.group(name, true)
}

// ExpandTarget replaces the node groups in a target by their definitions, so that peers without
// this configuration can evaluate it. kind is the type of the target; ExpandTarget returns the
// type of the result. It returns a target without node groups unchanged.
func ExpandTarget(tgt any, kind string, groups map[string]any) (any, string, error) {
	var words []string
	var err error
	switch kind {
	case "nodegroup":
		name, ok := text(tgt)
		if !ok {
			return nil, "", fmt.Errorf("%w: a node group is named by a text, not %s", ErrSyntax, typeName(tgt))
		}
		kind = "compound"
		words, err = ExpandNodegroup(name, groups)
	case "compound", "compound_pillar_exact":
		if words, err = compoundWords(tgt); err == nil {
			if !slices.ContainsFunc(words, isNodegroup) {
				return tgt, kind, nil
			}
			words, err = expandWords(words, groups)
		}
	default:
		return tgt, kind, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return asTarget(words), kind, nil
}

func isNodegroup(word string) bool {
	eng, _, _ := splitWord(word)
	return eng == "N"
}

type expander struct {
	groups map[string]any
	stack  []string
	words  int
}

func (x *expander) group(name string, first bool) ([]string, error) {
	if slices.Contains(x.stack, name) {
		return nil, fmt.Errorf("%w: %s", ErrNodegroupLoop, strings.Join(append(x.stack, name), " -> "))
	}
	def, ok := x.groups[name]
	if !ok {
		have := "none are configured"
		if len(x.groups) > 0 {
			have = "known are " + strings.Join(slices.Sorted(maps.Keys(x.groups)), ", ")
		}
		return nil, fmt.Errorf("%w %q; %s", ErrUnknownNodegroup, name, have)
	}
	var words []string
	if s, ok := text(def); ok {
		words = pyfmt.Fields(s)
	} else if list, ok := wire.AsList(def); ok {
		for _, e := range list {
			words = append(words, pyfmt.Str(e))
		}
	} else {
		return nil, fmt.Errorf("node group %q is %s; it should be a compound target or a list of its words", name, typeName(def))
	}
	x.stack = append(x.stack, name)
	defer func() { x.stack = x.stack[:len(x.stack)-1] }()
	nested := false
	out := []string{"("}
	for _, w := range words {
		if rest, ok := strings.CutPrefix(w, "N@"); ok && rest != "" {
			nested = true
			more, err := x.group(rest, false)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		} else {
			out = append(out, w)
		}
		if x.words += len(out); x.words > 100*maxWords || len(out) > maxWords {
			return nil, fmt.Errorf("node group %q has more than %d words", name, maxWords)
		}
	}
	out = append(out, ")")
	if nested && first {
		return out, nil
	}
	if joined, ok := plainNames(words); ok {
		return []string{joined}, nil
	}
	if first {
		return words, nil
	}
	return out, nil
}

// plainNames joins the words of a group without operators, engines and stars: into an
// expression if they look like one, otherwise into a list.
func plainNames(words []string) (string, bool) {
	eng := "L@"
	for _, w := range words {
		if operator(w) || strings.Contains(w, "*") || enginePrefix.MatchString(w) {
			return "", false
		}
		if strings.ContainsAny(w, `([{\?}])`) {
			eng = "E@"
		}
	}
	if len(words) == 0 {
		return "", false
	}
	return eng + strings.Join(words, ","), true
}
