package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

// load finds a file that a template imports. As in Salt, names with ./ and ../ are relative
// to the folder of the file loaded last; ?saltenv= selects another environment.
func (j *job) load(r *jinja.Run, name string) (jinja.Source, error) {
	file, relative := name, false
	if first, _, _ := strings.Cut(name, "/"); first == "." || first == ".." {
		relative = true
		dir, ok := jinja.Take(r.Global("tpldir")).(string)
		if !ok {
			return jinja.Source{}, notThere(name)
		}
		if file = path.Clean(dir + "/" + name); file == ".." || strings.HasPrefix(file, "../") {
			return jinja.Source{}, notThere(name)
		}
	}
	saltenv, _ := jinja.Take(r.Global("saltenv")).(string)
	file = strings.TrimPrefix(file, "salt://")
	if f, query, ok := strings.Cut(file, "?"); ok {
		env, isEnv := strings.CutPrefix(query, "saltenv=")
		if !isEnv {
			return jinja.Source{}, notThere(name)
		}
		file, saltenv = f, env
	}
	if path.IsAbs(name) {
		return j.loadAbsolute(r, name, saltenv)
	}
	//mutant:render-paths
	if !fs.ValidPath(strings.TrimPrefix(path.Clean("/"+file), "/")) || hasDots(file) {
		return jinja.Source{}, notThere(name)
	}
	j.place(r, file, name, relative)
	loader := j.engine.opts.Loader
	if loader == nil {
		return jinja.Source{}, notThere(name)
	}
	data, err := loader.Open(j.ctx, saltenv, file)
	if errors.Is(err, fs.ErrNotExist) {
		return jinja.Source{}, notThere(name)
	}
	if err != nil {
		return jinja.Source{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > j.engine.limits.Source {
		return jinja.Source{}, jinja.Fault("%s has %d bytes, more than the %d that are rendered", name, len(data), j.engine.limits.Source)
	}
	text := string(data)
	if i := invalidUTF8(text); i >= 0 {
		return jinja.Source{}, fmt.Errorf("'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", text[i], i)
	}
	where := file
	if p, ok := loader.(Placer); ok {
		where = p.Place(saltenv, file)
	}
	return jinja.Source{Text: text, File: where}, nil
}

// loadAbsolute finds a file of this host that a template imports by its full path.
func (j *job) loadAbsolute(r *jinja.Run, name, saltenv string) (jinja.Source, error) {
	read := j.engine.opts.Read
	if read == nil || !j.engine.opts.ReadImports || hasDots(name[1:]) {
		return jinja.Source{}, notThere(name)
	}
	data, err := read(j.ctx, saltenv, name, j.engine.limits.Source)
	switch {
	case err != nil:
		return jinja.Source{}, fmt.Errorf("%s: %w", name, err)
	case data == nil:
		return jinja.Source{}, notThere(name)
	}
	text := string(data)
	if i := invalidUTF8(text); i >= 0 {
		return jinja.Source{}, fmt.Errorf("'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", text[i], i)
	}
	j.place(r, name, name, false)
	return jinja.Source{Text: text, File: name}, nil
}

// hasDots reports whether a path has a part "..".
func hasDots(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return true
		}
	}
	return strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0)
}

// place sets the variables with an imported template's position, as Salt's loader does.
func (j *job) place(r *jinja.Run, file, name string, relative bool) {
	dir := path.Dir(file)
	if dir == "." {
		dir = ""
	}
	tplfile := file
	if relative {
		if d, ok := jinja.Take(r.Global("tpldir")).(string); ok {
			dir = d
		}
		tplfile = name
	}
	r.SetGlobal("tplfile", tplfile)
	r.SetGlobal("tpldir", dir)
	if dir == "" {
		r.SetGlobal("tpldir", ".")
	}
	r.SetGlobal("tpldot", strings.ReplaceAll(dir, "/", "."))
}

func notThere(name string) error { return fmt.Errorf("%s: %w", name, fs.ErrNotExist) }
