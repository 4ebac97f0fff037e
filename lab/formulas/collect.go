package formulas

import (
	_ "embed"
	"errors"
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

// Set is what is compared with one configuration: a formula or a site.
type Set struct {
	Name   string
	States string // the root of its states
	Pillar string // the root of its pillar; "": none
	Calls  []Call
	What   []string // a name for each call
}

func (s *Set) add(what string, c Call) { s.Calls, s.What = append(s.Calls, c), append(s.What, what) }

// skipped are the folders of a formula that hold no states.
var skipped = []string{".git", ".github", "bin", "docs", "kitchen", "test", "_modules", "_states"}

// Formulas finds the formulas of a folder: each of its folders is one, and each of its SLS
// files one call, as a test run with apply. only keeps those of these names; none keeps all.
// The pillar is the file pillar.example of a formula, from which work gets a folder for each.
func Formulas(dir, work string, only []string, apply, pillar bool) (out []Set, err error) {
	err = folders(dir, only, func(name, path string) error {
		s := Set{Name: name, States: path}
		sls, err := slsOf(path)
		if err != nil || len(sls) == 0 {
			return err
		}
		example, err := os.ReadFile(filepath.Join(path, "pillar.example"))
		if err == nil && pillar {
			s.Pillar = filepath.Join(work, name)
			err = errors.Join(os.MkdirAll(s.Pillar, 0o700), os.WriteFile(filepath.Join(s.Pillar, "example.sls"), example, 0o600),
				os.WriteFile(filepath.Join(s.Pillar, "top.sls"), []byte("base:\n  '*': [example]\n"), 0o600))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, n := range sls {
			c := Call{ID: "formulas", Fun: "state.show_sls", Args: []string{n}}
			if apply {
				c.Fun, c.Args = "state.apply", []string{n, "test=True"}
			}
			s.add(n, c)
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// folders calls do for each folder of dir, with its name less the suffix -formula.
func folders(dir string, only []string, do func(name, path string) error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), "-formula")
		if !e.IsDir() || strings.HasPrefix(name, ".") || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		found = true
		if err := do(name, filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if !found {
		return fmt.Errorf("%s has none of the wanted folders", dir)
	}
	return nil
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
