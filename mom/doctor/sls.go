package doctor

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/render"
)

const areaSLS = "sls"

const (
	// maxSLS bounds the size of a file in bytes, maxFiles the number of files.
	maxSLS   = 16 << 20
	maxFiles = 200_000
)

// lookSLS checks each SLS of file_roots and pillar_roots: its renderers, and whether its Jinja can be
// parsed. What it renders to depends on the minion.
func lookSLS(p *patient) {
	for _, roots := range []struct{ option, who string }{{"file_roots", "minion"}, {"pillar_roots", "master"}} {
		dirs := p.roots(roots.option)
		if len(dirs) == 0 {
			continue
		}
		good, files := 0, 0
		for _, dir := range dirs {
			p.walk(dir, func(path string) {
				if files++; files > maxFiles || filepath.Ext(path) != ".sls" && !templates[filepath.Ext(path)] {
					return
				}
				if p.template(path, roots.who) && (roots.who != "master" || p.called(path)) {
					good++
				}
			})
		}
		if files > maxFiles {
			p.differs(areaSLS, roots.option, "", "more than %d files: the rest was not checked", maxFiles)
		}
		p.works(areaSLS, roots.option, "%d SLS files and templates can be read", good)
	}
}

// templates matches files other than SLS that have names of Jinja templates.
var templates = map[string]bool{".jinja": true, ".j2": true, ".jinja2": true}

// roots are the directories of file_roots or pillar_roots.
func (p *patient) roots(option string) (out []string) {
	def := map[string]string{"file_roots": "/srv/salt", "pillar_roots": "/srv/pillar"}[option]
	envs, ok := p.options[option].(map[string]any)
	if !ok {
		if info, err := os.Stat(def); err == nil && info.IsDir() {
			return []string{def}
		}
		return nil
	}
	for env, v := range envs {
		dirs, ok := v.([]any)
		if !ok {
			dirs = []any{v}
		}
		for _, d := range dirs {
			dir, _ := d.(string)
			if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
				p.differs(areaSLS, option, "create the directory, or remove it from the option", "the environment %s names %v, which is not a directory here", env, d)
				continue
			}
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// walk calls a function for each file of a directory.
func (p *patient) walk(dir string, visit func(path string)) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			p.differs(areaSLS, path, "", "cannot be read: %v", err)
			return nil
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			visit(path)
		}
		return nil
	})
	if err != nil {
		p.differs(areaSLS, dir, "", "%v", err)
	}
}

// template checks one file and reports whether it can be parsed.
func (p *patient) template(path, who string) bool {
	data, err := read(path)
	if err != nil {
		p.differs(areaSLS, path, "", "%v", err)
		return false
	}
	isSLS := filepath.Ext(path) == ".sls"
	pipe := ""
	if isSLS {
		pipe = render.Pipe(data, p.conf.Renderer)
		if err := render.CheckPipe(pipe); err != nil {
			p.fails(areaSLS, path, "write it in jinja|yaml; a state file is rendered by the minion, so Python minions still accept it as it is", "%v", err)
			return false
		}
	}
	if isSLS && !hasJinja(pipe) {
		return true
	}
	if err := parses(data, isSLS); err != nil {
		do := "correct it; a Python minion renders its states itself and may still accept it"
		if who == "master" {
			do = "correct it, or write it another way"
		}
		p.fails(areaSLS, path, do, "%s", firstLines(err.Error(), 3))
		return false
	}
	return true
}

// called checks the functions that a template of pillar calls.
func (p *patient) called(path string) bool {
	data, err := read(path)
	return err == nil && p.calls(areaSLS, path, data, functionsOfPillar())
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Size() > maxSLS:
		return nil, fmt.Errorf("it has %d bytes; an SLS may have %d", info.Size(), maxSLS)
	}
	data, err := os.ReadFile(path)
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), err
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", n+1)
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.Join(lines, "\n")
}
