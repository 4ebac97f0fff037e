package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// pkg is a package as `go list -json` prints it.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string // from an import's text to the path of the package
	DepOnly    bool              // not named by the patterns
	Module     *struct{ GoVersion string }
	Error      *struct{ Err string }
}

// check returns the faults of the packages that the patterns name, and how many there are.
func check(system string, patterns []string) (faults []error, checked int, err error) {
	known, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		return nil, 0, fmt.Errorf("go tool dist list: %w", err)
	}
	if !slices.Contains(strings.Fields(string(known)), system) {
		return nil, 0, fmt.Errorf("%q is not one of `go tool dist list`, such as linux/arm64", system)
	}
	goos, goarch, _ := strings.Cut(system, "/")
	pkgs, err := list(goos, goarch, patterns)
	if err != nil {
		return nil, 0, err
	}
	c := &checker{fset: token.NewFileSet(), sizes: types.SizesFor("gc", goarch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for _, p := range pkgs { // dependencies come first
		if !p.DepOnly {
			checked++
		}
		faults = append(faults, c.check(p)...)
	}
	return faults, checked, nil
}

// list returns the packages and all that they import, each after its imports.
func list(goos, goarch string, patterns []string) ([]pkg, error) {
	fields := "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly,Module,Error"
	cmd := exec.Command("go", append([]string{"list", "-deps", fields, "--"}, patterns...)...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go list prints: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// checker holds the types of the packages that are done.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package
}

// check checks a package whose imports are done. Of packages that are only imported it reads the
// declarations and reports nothing: their faults show where they are used.
func (c *checker) check(p pkg) (faults []error) {
	if p.ImportPath == "unsafe" {
		return nil
	}
	if p.Error != nil {
		return []error{fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)}
	}
	files, faults := c.parse(p)
	conf := types.Config{
		IgnoreFuncBodies: p.DepOnly,
		Sizes:            c.sizes,
		Error: func(err error) {
			if !p.DepOnly {
				faults = append(faults, err)
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if done := c.done[path]; done != nil {
				return done, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	c.done[p.ImportPath], _ = conf.Check(p.ImportPath, c.fset, files, nil) // errors went to conf.Error
	return faults
}

// parse reads the files of a package, several at a time.
func (c *checker) parse(p pkg) (files []*ast.File, faults []error) {
	files, errs := make([]*ast.File, len(p.GoFiles)), make([]error, len(p.GoFiles))
	var wg sync.WaitGroup
	for i, name := range p.GoFiles {
		wg.Go(func() {
			files[i], errs[i] = parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		faults = append(faults, err)
	}
	return files, faults
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

var _ types.Importer = importer(nil)
