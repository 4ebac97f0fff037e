package target

import (
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Errors of Parse. Every error wraps ErrSyntax; the others are the reasons.
var (
	ErrSyntax           = errors.New("invalid target")
	ErrUnknownNodegroup = errors.New("unknown node group")
	ErrNodegroupLoop    = errors.New("node groups contain each other")
	ErrRange            = errors.New("range targets are not supported")
)

// Options are the options of [Parse].
type Options struct {
	// Delimiter separates the keys of grain and pillar targets. Default ":". Words of a
	// compound target can have their own (G|@os|Debian).
	Delimiter string
	// Nodegroups are the node groups of the configuration: {name: expression or list of words}.
	Nodegroups map[string]any
}

// Kinds returns the types of targets that Parse accepts.
func Kinds() []string {
	return []string{"glob", "pcre", "list", "grain", "grain_pcre", "pillar", "pillar_pcre", "pillar_exact", "compound", "compound_pillar_exact", "nodegroup", "ipcidr"}
}

// Parse compiles a target. tgt is a string, or for list and compound also a list of strings;
// tgtType is one of Kinds, "" means glob.
func Parse(tgt any, tgtType string, o Options) (Expr, error) {
	e, err := parse(tgt, tgtType, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return e, nil
}

func parse(tgt any, kind string, o Options) (Expr, error) {
	switch kind {
	case "list":
		return newList(tgt)
	case "compound", "compound_pillar_exact":
		words, err := compoundWords(tgt)
		if err != nil {
			return nil, err
		}
		return parseCompound(words, kind == "compound_pillar_exact", o.Nodegroups)
	case "range":
		return nil, ErrRange
	}
	text, ok := text(tgt)
	if !ok {
		return nil, fmt.Errorf("a %s target is a text, not %s", nonEmpty(kind), typeName(tgt))
	}
	switch kind {
	case "", "glob":
		return newGlob(text), nil
	case "pcre":
		return newPCRE(text)
	case "grain":
		return newData("G", text, o.Delimiter, false)
	case "grain_pcre":
		return newData("P", text, o.Delimiter, false)
	case "pillar":
		return newData("I", text, o.Delimiter, false)
	case "pillar_pcre":
		return newData("J", text, o.Delimiter, false)
	case "pillar_exact":
		return newData("I", text, o.Delimiter, true)
	case "nodegroup":
		words, err := ExpandNodegroup(text, o.Nodegroups)
		if err != nil {
			return nil, err
		}
		return parseCompound(words, false, o.Nodegroups)
	case "ipcidr":
		return newNetwork(text)
	}
	return nil, fmt.Errorf("%q is no target type; use one of %s", kind, strings.Join(Kinds(), ", "))
}

func nonEmpty(kind string) string {
	if kind == "" {
		return "glob"
	}
	return kind
}

func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case []any, []string:
		return "a list"
	}
	if _, ok := asDict(v); ok {
		return "a map"
	}
	return pyfmt.Repr(v)
}

func newGlob(s string) Expr {
	g := compileGlob(s)
	if id, ok := g.plain(); ok && id == s {
		return &idExpr{id}
	}
	return &globExpr{s, g}
}

func newList(tgt any) (Expr, error) {
	var ids []string
	if s, ok := text(tgt); ok {
		ids = strings.Split(s, ",")
	} else if list, ok := wire.AsList(tgt); ok {
		for i, e := range list {
			s, ok := text(e)
			if !ok {
				return nil, fmt.Errorf("entry %d of the list is %s, not an id", i+1, typeName(e))
			}
			ids = append(ids, s)
		}
	} else {
		return nil, fmt.Errorf("a list target is a list of ids or a text with commas, not %s", typeName(tgt))
	}
	e := &listExpr{set: make(map[string]struct{}, len(ids))}
	for _, id := range ids {
		if _, twice := e.set[id]; id == "" || twice {
			continue
		}
		e.set[id] = struct{}{}
		e.ids = append(e.ids, id)
	}
	e.text = strings.Join(e.ids, ",")
	return e, nil
}

// newData compiles the engines G, P, I and J.
func newData(engine, s, delimiter string, exact bool) (Expr, error) {
	how := byGlob
	switch {
	case exact:
		how = exactly
	case engine == "P" || engine == "J":
		how = byPCRE
	}
	p, err := compilePath(s, delimiter, how)
	if err != nil {
		return nil, err
	}
	if delimiter == ":" {
		delimiter = ""
	}
	return &dataExpr{text: engine + delimiter + "@" + s, pillar: engine == "I" || engine == "J", exact: exact, match: p.match}, nil
}

func newNetwork(s string) (Expr, error) {
	n, err := parseNetwork(s)
	if err != nil {
		return nil, err
	}
	return &dataExpr{text: "S@" + s, match: n.match}, nil
}
