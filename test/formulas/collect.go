package formulas

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed names.txt
var names string

// Names are the formulas of the list, without the suffix -formula.
func Names() []string { return strings.Fields(names) }

// Formula is one formula in a folder of its own.
type Formula struct {
	Name string
	Dir  string   // the root of its files
	SLS  []string // the dotted names of its SLS files, sorted
}

// skipped are the folders of a formula that hold no states.
var skipped = []string{".git", ".github", "bin", "docs", "kitchen", "test", "_modules", "_states"}

// Collect finds the formulas of a folder: each of its folders is one. only keeps those of these
// names; none keeps all.
func Collect(dir string, only []string) ([]Formula, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Formula
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), "-formula")
		if !e.IsDir() || strings.HasPrefix(name, ".") || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		f := Formula{Name: name, Dir: filepath.Join(dir, e.Name())}
		if f.SLS, err = slsOf(f.Dir); err != nil {
			return nil, err
		}
		if len(f.SLS) > 0 {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no formulas", dir)
	}
	return out, nil
}

// slsOf names the SLS files below a root, but for those at the root itself: top files and examples.
func slsOf(root string) (out []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name, isSLS := strings.CutSuffix(filepath.ToSlash(rel), ".sls")
		if isSLS && strings.Contains(name, "/") {
			out = append(out, strings.ReplaceAll(strings.TrimSuffix(name, "/init"), "/", "."))
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}
