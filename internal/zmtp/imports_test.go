package zmtp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The socket types of zmq4 panic, block and mix up replies with hostile peers. The module must
// not create one, and only this package may import zmq4.
func TestNobodyUsesZmq4Sockets(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	users := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names, bad := zmq4Uses(src)
		if len(names) == 0 {
			return nil
		}
		users++
		if filepath.Dir(path) != here {
			t.Errorf("%s imports zmq4", path)
		}
		for _, n := range bad {
			t.Errorf("%s uses zmq4.%s", path, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if users == 0 {
		t.Error("found no user of zmq4 at all: the test looks in the wrong place")
	}
}

// zmq4Uses returns the names under which a file imports zmq4 or a part of it, and the
// identifiers beginning with New that it uses.
func zmq4Uses(src []byte) (names, bad []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, 0)
	if err != nil {
		return nil, nil // the compiler reports it, and better
	}
	for _, imp := range f.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if !strings.HasPrefix(path, "github.com/go-zeromq/") {
			continue
		}
		name := "zmq4"
		if imp.Name != nil {
			name = imp.Name.Name
		}
		names = append(names, name)
		if name == "." {
			bad = append(bad, "* by a dot import")
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(sel.Sel.Name, "New") {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok {
			for _, name := range names {
				if id.Name == name {
					bad = append(bad, sel.Sel.Name)
				}
			}
		}
		return true
	})
	return names, bad
}

func TestZmq4UsesAreFound(t *testing.T) {
	for src, want := range map[string]string{
		`import "github.com/go-zeromq/zmq4"; var x = zmq4.NewRouter`:  "NewRouter",
		`import z "github.com/go-zeromq/zmq4"; var x = z.NewPub(nil)`: "NewPub",
		`import . "github.com/go-zeromq/zmq4"; var x = NewPub(nil)`:   "* by a dot import",
		`import "github.com/go-zeromq/zmq4"; var x = zmq4.Open`:       "",
		`import zmq4 "example.org/other"; var x = zmq4.NewRouter`:     "",
		`import "example.org/other"; var x = other.NewRouter()`:       "",
	} {
		_, bad := zmq4Uses([]byte("package p; " + src))
		if got := strings.Join(bad, " "); got != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}
