package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Layered checks that the files of the package in dir depend on each other in one direction: no
// file refers, directly or through others, to a file that refers to it. The methods of a type
// must be in the file of the type, so that a method call is a reference to that file. Test
// files are ignored.
func Layered(t *testing.T, dir string) {
	t.Helper()
	refs, strays := fileRefs(t, dir)
	for _, s := range strays {
		t.Errorf("%s", s)
	}
	if cycle := findCycle(refs); cycle != nil {
		t.Errorf("files of %s refer to each other in a circle: %s", dir, strings.Join(cycle, " → "))
	}
}

// fileRefs returns which files of a package each file refers to, and the methods that are not in
// the file of their type.
func fileRefs(t *testing.T, dir string) (refs map[string]map[string][]string, strays []string) {
	t.Helper()
	set := token.NewFileSet()
	pkgs, err := parser.ParseDir(set, dir, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // build tags do not matter: all files are read
	if err != nil || len(pkgs) != 1 {
		t.Fatalf("%d packages in %s: %v", len(pkgs), dir, err)
	}
	refs, home := map[string]map[string][]string{}, map[string]string{}
	files := map[string]*ast.File{}
	for _, pkg := range pkgs {
		for name, f := range pkg.Files {
			files[filepath.Base(name)] = f
			for id := range f.Scope.Objects {
				home[id] = filepath.Base(name)
			}
		}
	}
	for name, f := range files {
		refs[name] = map[string][]string{}
		keys := map[*ast.Ident]bool{} // names of fields in literals are not references
		ast.Inspect(f, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					keys[id] = true
				}
			}
			return true
		})
		for _, id := range f.Unresolved {
			if at := home[id.Name]; at != "" && at != name && !keys[id] && !slices.Contains(refs[name][at], id.Name) {
				refs[name][at] = append(refs[name][at], id.Name)
			}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			if of := receiver(fn.Recv.List[0].Type); home[of] != name {
				strays = append(strays, name+": method "+of+"."+fn.Name.Name+" belongs into "+home[of]+", the file of its type")
			}
		}
	}
	slices.Sort(strays)
	return refs, strays
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// findCycle returns files that refer to each other in a circle; nil if no files do.
func findCycle(refs map[string]map[string][]string) []string {
	done := map[string]bool{}
	var path []string
	var visit func(string) []string
	visit = func(file string) []string {
		if at := slices.Index(path, file); at >= 0 {
			return append(slices.Clone(path[at:]), file)
		}
		if done[file] {
			return nil
		}
		path = append(path, file)
		for _, next := range slices.Sorted(maps.Keys(refs[file])) {
			if cycle := visit(next); cycle != nil {
				return cycle
			}
		}
		path = path[:len(path)-1]
		done[file] = true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(refs)) {
		if cycle := visit(file); cycle != nil {
			return cycle
		}
	}
	return nil
}
