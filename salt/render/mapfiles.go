package render

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/jinja"
)

func init() {
	pure["defaults.get"] = defaultsGet
	pure["pillar.filter_by"] = func(_ *job, r *jinja.Run, a *jinja.Args) any {
		b := a.Bind("filter_by", 2, "lookup_dict pillar merge default base")
		return filterBy(r, wantDict(b.Any(0, nil), "filter_by lookup_dict"), r.Var("pillar"), b.Any(1, nil),
			b.Any(2, nil), b.Any(3, "default"), b.Any(4, nil))
	}
	pure["jinja.load_map"] = func(j *job, r *jinja.Run, a *jinja.Args) any {
		b := a.Bind("load_map", 2, "path value")
		name := b.Str(1, "")
		if len(name) > maxName || !identifier.MatchString(name) {
			fail("load_map: expected the name of a variable, not %.80q", name)
		}
		return j.mapped(r, "{% from "+quotedPath(b.Str(0, ""))+" import "+name+" with context %}\n{{ "+name+" | tojson }}\n")
	}
	pure["jinja.import_yaml"] = imported("import_yaml")
	pure["jinja.import_json"] = imported("import_json")
}

func imported(tag string) pureFunc {
	return func(j *job, r *jinja.Run, a *jinja.Args) any {
		b := a.Bind(tag, 1, "path")
		return j.mapped(r, "{% "+tag+" "+quotedPath(b.Str(0, ""))+" as imported %}\n{{ imported | tojson }}\n")
	}
}

// The most bytes of a path or of the name of a variable.
const (
	maxPath = 4 << 10
	maxName = 256
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quotedPath writes a path as a Jinja literal, so that no part of it is parsed as a
// template: a user who may load files must not call functions through a path.
func quotedPath(path string) string {
	if len(path) > maxPath {
		fail("a path of %d bytes is longer than %d", len(path), maxPath)
	}
	return jinja.Repr(path)
}

// mapped renders a template that prints JSON, and parses that.
func (j *job) mapped(r *jinja.Run, source string) any {
	ctx, end := r.Nested()
	defer end()
	r.Charge(len(source))
	// Salt renders it from a file without a folder, so tpldir is "." in the files it
	// imports.
	t := Template{Source: []byte(source), Path: "map", Vars: j.t.Vars, Functions: j.t.Functions, Saltenv: "base"}
	v, err := j.engine.SLS(ctx, t, DefaultPipe)
	if err != nil {
		jinja.Throw(err)
	}
	return r.Take(v)
}

// defaultsGet returns a value of the file defaults.yaml or defaults.json of a formula.
func defaultsGet(j *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("get", 1, "key default")
	r.Scratch(4 * len(b.Str(0, "")))
	formula, key, _ := strings.Cut(b.Str(0, ""), ":")
	var defaults any
	for _, ext := range []string{"yaml", "json"} {
		data, err := j.open(formula + "/defaults." + ext)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			jinja.Throw(err)
		}
		r.Charge(len(data))
		var v any
		if ext == "yaml" {
			if v, err = loadYAML(r, string(data), j.engine.limits.Values); err == nil {
				v = r.Take(v)
			}
		} else {
			v, err = loadJSON(r, string(data))
		}
		if err != nil {
			jinja.Throw(err)
		}
		if defaults = v; v == nil || !jinja.Truth(v) {
			defaults = jinja.NewDict()
		}
		break
	}
	if key == "" {
		return defaults
	}
	return traverse(r, defaults, key, b.Any(1, ""), ":")
}

// open reads a file of the environment base.
func (j *job) open(path string) ([]byte, error) {
	loader := j.engine.opts.Loader
	if loader == nil || hasDots(path) {
		return nil, notThere(path)
	}
	data, err := loader.Open(j.ctx, "base", path)
	if err == nil && len(data) > j.engine.limits.Source {
		return nil, jinja.Fault("%s has %d bytes, more than the %d that are read", path, len(data), j.engine.limits.Source)
	}
	return data, err
}
