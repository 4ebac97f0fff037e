package mutants

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one protection and how it is taken out.
type mutant struct {
	name      string // of its file, without .txt
	row, why  string
	pkg, test string // a package and the -run expression
	edits     []edit
}

// edit replaces text that stands once in a file.
type edit struct{ file, old, new string }

// load reads the mutants of a folder whose names begin with only.
func load(dir, only string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var out []mutant
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		if !strings.HasPrefix(name, only) {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read mutant: %w", err)
		}
		m, err := parse(string(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		m.name = name
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no mutant %s*.txt in %s", only, dir)
	}
	return out, nil
}

// parse reads one file of the form that the package comment shows.
func parse(text string) (m mutant, err error) {
	var into *string
	var e edit
	for line := range strings.Lines(text) {
		mark := strings.TrimRight(line, "\n")
		switch {
		case mark == "-- old --":
			e.old, e.new, into = "", "", &e.old
		case mark == "-- new --":
			into = &e.new
		case mark == "-- end --":
			if e.file == "" || strings.TrimSpace(e.old) == "" {
				return m, errors.New("an edit has no file or nothing to replace")
			}
			// The last line end belongs to the marks: part of a line may be replaced, too.
			e.old, e.new = strings.TrimSuffix(e.old, "\n"), strings.TrimSuffix(e.new, "\n")
			m.edits, into = append(m.edits, e), nil
		case into != nil:
			*into += line
		case strings.TrimSpace(mark) == "" || strings.HasPrefix(mark, "#"):
		default:
			key, value, ok := strings.Cut(mark, ":")
			value = strings.TrimSpace(value)
			switch {
			case ok && key == "row":
				m.row = value
			case ok && key == "why":
				m.why = value
			case ok && key == "test":
				m.pkg, m.test, _ = strings.Cut(value, " ")
			case ok && key == "file":
				e.file = value
			default:
				return m, fmt.Errorf("line %q is neither row, why, test, file nor a mark", mark)
			}
		}
	}
	if into != nil || len(m.edits) == 0 {
		return m, errors.New("it has no whole edit: -- old --, -- new --, -- end --")
	}
	if m.row == "" || m.why == "" || m.pkg == "" || m.test == "" {
		return m, errors.New("it needs row, why, and test: PACKAGE EXPRESSION")
	}
	return m, nil
}

// apply gives the changed files by their paths below root.
func (m mutant) apply(root string) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range m.edits {
		text, done := out[e.file]
		if !done {
			b, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, fmt.Errorf("read what is to be changed: %w", err)
			}
			text = string(b)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("what is to be replaced stands %d times in %s, wants once", n, e.file)
		}
		out[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return out, nil
}
