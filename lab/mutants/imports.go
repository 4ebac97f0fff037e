package mutants

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
)

// common are the packages that an edit may use without their import.
var common = []string{"bytes", "errors", "fmt", "maps", "os", "slices", "strings", "time"}

// fixImports returns text, a changed form of was, with blank imports of what only was
// uses, and with imports of the common packages that only text uses. An error says that
// text does not parse.
func fixImports(was, text string) (string, error) {
	old, err := parseSource(was)
	if err != nil {
		return "", err
	}
	s, err := parseSource(text)
	if err != nil {
		return "", err
	}
	used, now, imported := qualifiers(old.file), qualifiers(s.file), map[string]bool{}
	for _, spec := range slices.Backward(s.file.Imports) {
		name, err := importName(spec)
		if err != nil {
			return "", err
		}
		imported[name] = true
		if used[name] && !now[name] {
			text = text[:s.offset(spec.Pos())] + "_ " + text[s.offset(spec.Path.Pos()):]
		}
	}
	for _, name := range common {
		if now[name] && !used[name] && !imported[name] {
			end := s.offset(s.file.Name.End())
			text = text[:end] + fmt.Sprintf("; import %q", name) + text[end:]
		}
	}
	return text, nil
}

// importName guesses the name of a package: that of the import, or the end of its path.
func importName(spec *ast.ImportSpec) (string, error) {
	if spec.Name != nil {
		return spec.Name.Name, nil
	}
	p, err := strconv.Unquote(spec.Path.Value)
	return path.Base(p), err
}

// qualifiers are the names that stand before a dot in f.
func qualifiers(f *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok {
				out[x.Name] = true
			}
		}
		return true
	})
	return out
}
