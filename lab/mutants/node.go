package mutants

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// source is a parsed file.
type source struct {
	text string
	set  *token.FileSet
	file *ast.File
}

func parseSource(text string) (source, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", text, parser.ParseComments|parser.SkipObjectResolution)
	return source{text, set, f}, err
}

func (s source) offset(p token.Pos) int { return s.set.Position(p).Offset }

// marked returns the outermost node behind the marker name.
func (s source) marked(name string) (ast.Node, error) {
	var at token.Pos
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if names(c, name) {
				at = c.End()
			}
		}
	}
	if !at.IsValid() {
		return nil, errors.New("an earlier edit removed the marker")
	}
	var found ast.Node
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if n.Pos() >= at && n.End() > n.Pos() && (found == nil || n.Pos() < found.Pos()) {
			found = n
		}
		return n.End() > at
	})
	if found == nil || !onlyComments(s.text[s.offset(at):s.offset(found.Pos())]) {
		return nil, errors.New("no statement, declaration, case, field or element begins behind the marker")
	}
	return found, nil
}

// onlyComments reports whether text has nothing but line comments and white space.
func onlyComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}

// through returns the node that ends a run of count nodes of one list, which begins with first.
func (s source) through(first ast.Node, count int) (last ast.Node, err error) {
	if count == 1 {
		return first, nil
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		list := elements(n)
		for i := range list {
			if list[i] == first && i+count <= len(list) {
				last = list[i+count-1]
			}
		}
		return last == nil
	})
	if last == nil {
		return nil, fmt.Errorf("fewer than %d nodes in the list", count)
	}
	return last, nil
}

// elements returns the list that n holds.
func elements(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.File:
		return nodes(n.Decls)
	case *ast.GenDecl:
		return nodes(n.Specs)
	case *ast.FieldList:
		return nodes(n.List)
	case *ast.BlockStmt:
		return nodes(n.List)
	case *ast.CaseClause:
		return nodes(n.Body)
	case *ast.CommClause:
		return nodes(n.Body)
	case *ast.CompositeLit:
		return nodes(n.Elts)
	}
	return nil
}

func nodes[N ast.Node](list []N) []ast.Node {
	out := make([]ast.Node, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out
}
