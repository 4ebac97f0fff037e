package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Report lists the packages that read options, each by its import path relative to the module.
type Report struct {
	// Fields are the readers of a field, by "Struct.Field". Struct is the type that the field
	// was read from, which may embed the struct that declares it.
	Fields map[string][]string
	// Names are the packages that read an option by name: a constant string in a call of Get or
	// Option.
	Names map[string][]string
}

// pkg is the go tool's description of a package.
type pkg struct {
	Dir, ImportPath, Export string
	GoFiles, Deps           []string
	Standard                bool
}

// Scan reads the module that contains dir. configPath is the import path of package config, or
// of another one whose structs have tags. That package and those below it do not count as
// readers.
func Scan(dir, configPath string) (Report, error) {
	module, _, ok := strings.Cut(configPath, "/internal/")
	if !ok {
		return Report{}, fmt.Errorf("%s is no path of package config", configPath)
	}
	pkgs, err := list(dir, module+"/...")
	if err != nil {
		return Report{}, err
	}
	s := &scanner{
		fset: token.NewFileSet(), module: module, config: configPath, exports: map[string]string{}, fields: map[types.Object]bool{},
		out: Report{Fields: map[string][]string{}, Names: map[string][]string{}},
	}
	for _, p := range pkgs {
		s.exports[p.ImportPath] = p.Export
	}
	s.imp = importer.ForCompiler(s.fset, "gc", s.open)
	if err := s.learn(); err != nil {
		return Report{}, err
	}
	for _, p := range pkgs {
		own := p.ImportPath == configPath || strings.HasPrefix(p.ImportPath, configPath+"/")
		if p.Standard || own || !strings.HasPrefix(p.ImportPath, module+"/") {
			continue
		}
		if err := s.scan(p); err != nil {
			return Report{}, err
		}
	}
	return s.out, nil
}

// list returns packages and their dependencies, compiled by the go tool.
func list(dir, pattern string) ([]pkg, error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=Dir,ImportPath,Export,GoFiles,Deps,Standard", pattern)
	cmd.Dir = dir
	// As a release is built, so that what is built already is not built again.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", pattern, err, stderr.String())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs, nil
		case err != nil:
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		pkgs = append(pkgs, p)
	}
}

type scanner struct {
	fset    *token.FileSet
	module  string
	config  string
	exports map[string]string
	imp     types.Importer
	fields  map[types.Object]bool // fields that are options
	out     Report
}

func (s *scanner) open(path string) (io.ReadCloser, error) {
	if s.exports[path] == "" {
		return nil, fmt.Errorf("package %s is not compiled", path)
	}
	return os.Open(s.exports[path])
}

// learn records the fields of all structs of package config.
func (s *scanner) learn() error {
	p, err := s.imp.Import(s.config)
	if err != nil {
		return fmt.Errorf("read the types of %s: %w", s.config, err)
	}
	for _, name := range p.Scope().Names() {
		st, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range st.NumFields() {
			if f := st.Field(i); st.Tag(i) != "" && !f.Embedded() {
				s.fields[f] = true
			}
		}
	}
	return nil
}

// scan finds reads in one package.
func (s *scanner) scan(p pkg) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: s.imp}).Check(p.ImportPath, s.fset, files, info); err != nil {
		return fmt.Errorf("check the types of %s: %w", p.ImportPath, err)
	}
	reader := strings.TrimPrefix(p.ImportPath, s.module+"/")
	for _, f := range files {
		written := targets(f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if sel := info.Selections[n]; sel != nil && s.fields[sel.Obj()] && !written[n] {
					add(s.out.Fields, typeName(sel.Recv())+"."+sel.Obj().Name(), reader)
				}
			case *ast.CallExpr:
				if name, ok := asked(n); ok {
					add(s.out.Names, name, reader)
				}
			}
			return true
		})
	}
	return nil
}

// typeName returns the name of a struct type, or of the type that a pointer points to.
func typeName(t types.Type) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// targets returns the expressions that a file assigns to.
func targets(f *ast.File) map[ast.Expr]bool {
	out := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			for _, e := range a.Lhs {
				out[e] = true
			}
		}
		return true
	})
	return out
}

// asked returns the name in a call such as x.Option("name").
func asked(c *ast.CallExpr) (string, bool) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || len(c.Args) == 0 || sel.Sel.Name != "Option" && sel.Sel.Name != "Get" {
		return "", false
	}
	lit, ok := c.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(lit.Value)
	return name, err == nil
}

func add(m map[string][]string, key, reader string) {
	if !slices.Contains(m[key], reader) {
		m[key] = append(m[key], reader)
	}
}
