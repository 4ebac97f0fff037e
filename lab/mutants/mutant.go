package mutants

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one protection and how it is removed.
type mutant struct {
	name          string // of its file, without .txt
	protects, why string
	pkg, test     string // a package and the -run expression
	edits         []edit
}

// load reads the mutants of the repository at root that only selects.
func load(root, only string) ([]mutant, error) {
	dir := filepath.Join(root, "lab", "mutants")
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read mutant: %w", err)
		}
		m, err := parse(strings.TrimSuffix(filepath.Base(f), ".txt"), string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if m.selected(only) {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no mutant in %s matches %q", dir, only)
	}
	return out, nil
}

// selected reports whether the name, title or package of m contains only, in any case.
func (m mutant) selected(only string) bool {
	return strings.Contains(strings.ToLower(m.name+"\n"+m.protects+"\n"+m.pkg), strings.ToLower(only))
}

// parse reads one file of the form that the package comment shows.
func parse(name, text string) (mutant, error) {
	m := mutant{name: name}
	var block *edit // the edit that the indented lines belong to
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "\t") || line == "" && block != nil:
			if block == nil {
				return m, fmt.Errorf("line %q belongs to no edit", line)
			}
			block.text += strings.TrimPrefix(line, "\t") + "\n"
			continue
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			continue
		}
		block = nil
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		marker, isEdit := strings.CutPrefix(key, "at ")
		switch {
		case ok && isEdit:
			e, err := parseEdit(marker, value)
			if err != nil {
				return m, err
			}
			m.edits = append(m.edits, e)
			if e.op.hasText() {
				block = &m.edits[len(m.edits)-1]
			}
		case ok && key == "protects":
			m.protects = value
		case ok && key == "why":
			m.why = value
		case ok && key == "test":
			m.pkg, m.test, _ = strings.Cut(value, " ")
		default:
			return m, fmt.Errorf("line %q is neither protects, why, test nor at MARKER", line)
		}
	}
	return m, m.check()
}

// check returns an error if a part of m is missing or a marker is not named after m.
func (m mutant) check() error {
	if m.protects == "" || m.why == "" || m.pkg == "" || m.test == "" || len(m.edits) == 0 {
		return errors.New("wants protects, why, test: PACKAGE EXPRESSION, and an edit")
	}
	for i, e := range m.edits {
		want := m.name
		if i > 0 {
			want = fmt.Sprintf("%s-%d", m.name, i+1)
		}
		if e.marker != want {
			return fmt.Errorf("marker %q of edit %d is not called %q", e.marker, i+1, want)
		}
		if e.op.hasText() && strings.TrimSpace(e.text) == "" {
			return fmt.Errorf("at %s: no indented lines", e.marker)
		}
	}
	return nil
}

// apply returns the changed files by their paths below root.
func (m mutant) apply(root string, at markers) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range m.edits {
		file, ok := at[e.marker]
		if !ok {
			return nil, fmt.Errorf("no marker //mutant:%s in the source", e.marker)
		}
		text, changed := out[file]
		if !changed {
			b, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				return nil, fmt.Errorf("read marked file: %w", err)
			}
			text = string(b)
		}
		text, err := e.apply(text)
		if err != nil {
			return nil, fmt.Errorf("%s: at %s: %w", file, e.marker, err)
		}
		out[file] = text
	}
	for file, text := range out {
		b, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, fmt.Errorf("read marked file: %w", err)
		}
		if out[file], err = fixImports(string(b), text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return out, nil
}
