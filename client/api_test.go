package client_test

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/test/program"
)

const module = "github.com/momtree/mom/"

// The exported API of this package uses no type of an internal package or of a library, so other
// modules can name every type.
func TestNoInternalTypes(t *testing.T) {
	exports := exportData(t, module+"client", module+"client/remote", module+"value", module+"returners")
	for _, path := range []string{"client", "client/remote", "value"} {
		for _, at := range internalTypes(t, exports, module+path) {
			t.Error(at)
		}
	}
	if len(internalTypes(t, exports, module+"returners")) == 0 {
		t.Error("no internal type is found where there are some: the test sees nothing")
	}
}

// exportData returns the export data files of packages by import path.
func exportData(t *testing.T, paths ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...)
	cmd.Env, cmd.Stderr = program.Env(), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

// internalTypes returns the positions of exported identifiers whose types other modules cannot
// name.
func internalTypes(t *testing.T, exports map[string]string, path string) []string {
	t.Helper()
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("there is no export data of " + path)
		}
		return os.Open(exports[path])
	})
	pkg, err := imp.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			w.object(obj)
		}
	}
	slices.Sort(w.found)
	return w.found
}

// walker visits all types reachable from the exported API.
type walker struct {
	seen  map[types.Type]bool
	found []string
}

func (w *walker) object(obj types.Object) {
	w.typ(obj.Pkg().Name()+"."+obj.Name(), obj.Type())
}

// named checks the package of a named type or alias. Aliases count because the documentation
// shows them.
func (w *walker) named(at string, obj *types.TypeName) (ours bool) {
	pkg := obj.Pkg()
	if pkg == nil { // predeclared types such as error
		return false
	}
	first, _, _ := strings.Cut(pkg.Path(), "/")
	ours = strings.HasPrefix(pkg.Path()+"/", module)
	if strings.Contains(pkg.Path()+"/", "/internal/") || strings.Contains(first, ".") && !ours {
		w.found = append(w.found, fmt.Sprintf("%s mentions %s.%s", at, pkg.Path(), obj.Name()))
		return false
	}
	return ours
}

func (w *walker) typ(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if w.named(at, t.Obj()) {
			w.typ(at, t.Rhs())
		}
		return
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			w.typ(at, t.TypeArgs().At(i))
		}
		if !w.named(at, t.Obj()) || w.seen[t] {
			return
		}
		w.seen[t] = true
		at = t.Obj().Pkg().Name() + "." + t.Obj().Name()
		w.typ(at, t.Underlying())
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				w.typ(at+"."+m.Name(), m.Type())
			}
		}
		return
	case *types.Signature:
		w.typ(at, t.Params())
		w.typ(at, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.typ(at, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.typ(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.typ(at+"."+m.Name(), m.Type())
		}
		for e := range t.EmbeddedTypes() {
			w.typ(at, e)
		}
	case *types.Map:
		w.typ(at, t.Key())
		w.typ(at, t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.typ(at, t.Elem())
	}
}
