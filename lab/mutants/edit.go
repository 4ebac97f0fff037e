package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

// op is what an edit does with the marked node.
type op string

const (
	drop       op = "drop"
	setTrue    op = "true"
	setFalse   op = "false"
	negate     op = "negate"
	giveBack   op = "return"
	substitute op = "=>"
	replace    op = "replace"
	before     op = "before"
	after      op = "after"
)

// hasText reports whether indented lines follow the edit.
func (o op) hasText() bool { return o == replace || o == before || o == after }

// edit changes the node behind a marker.
type edit struct {
	marker   string
	op       op
	count    int    // nodes that drop and replace remove
	old, new string // of substitute
	text     string // what return gives back, or the indented lines
}

// parseEdit reads what stands behind "at MARKER:".
func parseEdit(marker, value string) (edit, error) {
	e := edit{marker: marker, count: 1}
	if from, to, ok := strings.Cut(value+" ", " => "); ok {
		e.op, e.old, e.new = substitute, from, strings.TrimSpace(to)
		if strings.TrimSpace(from) == "" {
			return e, fmt.Errorf("at %s: nothing stands before =>", marker)
		}
		return e, nil
	}
	word, rest, _ := strings.Cut(value, " ")
	e.op = op(word)
	switch e.op {
	case giveBack:
		e.text = rest
		return e, nil
	case drop, replace:
		if rest == "" {
			return e, nil
		}
		n, err := strconv.Atoi(rest)
		if err != nil || n < 2 {
			return e, fmt.Errorf("at %s: %q is not a count of nodes", marker, rest)
		}
		e.count = n
		return e, nil
	case setTrue, setFalse, negate, before, after:
		if rest == "" {
			return e, nil
		}
	}
	return e, fmt.Errorf("at %s: unknown edit %q", marker, value)
}

// apply returns text with the node behind the marker changed.
func (e edit) apply(text string) (string, error) {
	s, err := parseSource(text)
	if err != nil {
		return "", err
	}
	first, err := s.marked(e.marker)
	if err != nil {
		return "", err
	}
	last, err := s.through(first, e.count)
	if err != nil {
		return "", err
	}
	from, to := s.offset(first.Pos()), s.offset(last.End())
	var put string
	switch e.op {
	case drop:
		if _, element := first.(ast.Expr); element && strings.HasPrefix(text[to:], ",") {
			to++
		}
	case setTrue, setFalse, negate:
		cond := condition(first)
		if cond == nil {
			return "", errors.New("the marked node has no condition")
		}
		from, to = s.offset(cond.Pos()), s.offset(cond.End())
		put = string(e.op)
		if e.op == negate {
			put = "!(" + text[from:to] + ")"
		}
	case giveBack:
		put = strings.TrimSpace("return " + e.text)
		if f, ok := first.(*ast.FuncDecl); ok && f.Body != nil {
			from, put = s.offset(f.Body.Pos()), "{\n\t"+put+"\n}"
		}
	case substitute:
		if n := strings.Count(text[from:to], e.old); n != 1 {
			return "", fmt.Errorf("%q stands %d times in the marked node, wants once", e.old, n)
		}
		put = strings.Replace(text[from:to], e.old, e.new, 1)
	case replace:
		put = strings.TrimSuffix(e.text, "\n")
	case before:
		put = e.text + text[from:to]
	case after:
		if _, element := first.(ast.Expr); element && strings.HasPrefix(text[to:], ",") {
			to++
		}
		put = text[from:to] + "\n" + strings.TrimSuffix(e.text, "\n")
	}
	return text[:from] + put + text[to:], nil
}

// condition returns the condition of an if, a for, or a case with one expression.
func condition(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Cond
	case *ast.ForStmt:
		return n.Cond
	case *ast.CaseClause:
		if len(n.List) == 1 {
			return n.List[0]
		}
	}
	return nil
}
