package modules

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// pkgTarget is one package to install: a name with a version ("": any), or a file.
type pkgTarget struct {
	name, version, file string
	reinstall           bool
}

// listArg returns a list, which may be given as YAML text.
func listArg(v any) any {
	if s, ok := v.(string); ok {
		v = pyfmt.YAMLWord(s)
	}
	return wire.Normal(v)
}

// pkgTargets parses name (with commas), pkgs and sources.
func (c *Call) pkgTargets(ctx context.Context) ([]pkgTarget, error) {
	pkgs, sources := listArg(c.Value("pkgs")), listArg(c.Value("sources"))
	if isTrue(pkgs) && isTrue(sources) {
		return nil, InvocationErrorf("Only one of \"pkgs\" and \"sources\" can be used.")
	}
	version := ""
	if v := c.keyword("version"); v != nil {
		version = PyStr(v)
	}
	if version != "" && (pyfmt.Truth(sources) || pyfmt.Truth(pkgs)) {
		logger(c.Env).Warn("'version' argument will be ignored for multiple package targets", "version", version)
	}
	var out []pkgTarget
	var err error
	switch {
	case pyfmt.Truth(sources):
		out, err = c.sources(ctx, sources)
	case pyfmt.Truth(pkgs):
		out, err = namedPkgs(pkgs)
	default:
		for _, name := range textList(c.Value("name")) {
			out = append(out, pkgTarget{name: name, version: version})
		}
	}
	if err != nil {
		return nil, err
	}
	for _, t := range out {
		for what, v := range map[string]string{"the name of a package": t.name, "a version": t.version, "the file of a package": t.file} {
			if v == "" && what != "the name of a package" {
				continue
			}
			if err := plainArg(what, v); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// namedPkgs parses a list of names and of {name: version}.
func namedPkgs(v any) ([]pkgTarget, error) {
	list, ok := v.([]any)
	if !ok {
		if m, isMap := v.(*value.Map); isMap {
			list = []any{m}
		} else {
			list = wire.AnyList(textList(v))
		}
	}
	var out []pkgTarget
	for _, e := range list {
		switch e := e.(type) {
		case *value.Map:
			e.Range(func(name, version any) bool {
				t := pkgTarget{name: PyStr(name)}
				if version != nil && version != "" {
					t.version = PyStr(version)
				}
				out = append(out, t)
				return true
			})
		default:
			out = append(out, pkgTarget{name: PyStr(e)})
		}
	}
	return out, nil
}

// sources parses a list of {name: file}, and fetches files that are not on this host.
func (c *Call) sources(ctx context.Context, v any) ([]pkgTarget, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, InvocationErrorf("sources must be a list of {name: file}, not %s", PyRepr(v))
	}
	var out []pkgTarget
	for _, e := range list {
		m, ok := e.(*value.Map)
		if !ok || m.Len() != 1 {
			return nil, InvocationErrorf("sources must be a list of {name: file}; invalid entry: %s", PyRepr(e))
		}
		name := PyStr(m.Keys()[0])
		file := m.String(name)
		switch {
		case strings.Contains(file, "://"):
			path, err := c.Env.Files().Cache(ctx, file, fileclient.Want{Saltenv: saltenvOf(c)})
			if err != nil {
				return nil, fileError(err)
			}
			file = path
		case !filepath.IsAbs(file):
			return nil, InvocationErrorf("Path %s for package %s is either not absolute or an invalid protocol", file, name)
		}
		out = append(out, pkgTarget{name: name, file: file})
	}
	return out, nil
}
