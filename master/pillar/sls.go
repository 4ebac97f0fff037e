package pillar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// maxRenders limits the SLS rendered for one pillar, counting each include.
const maxRenders = 10_000

// sls finds an SLS by its dotted name: a.b is a/b.sls, or else a/b/init.sls. path is "" if neither
// exists.
func (p *pass) sls(ctx context.Context, env, name string) (data []byte, path string, err error) {
	at := strings.ReplaceAll(name, ".", "/")
	for _, path := range []string{at + ".sls", at + "/init.sls"} {
		p.seen.file(p.files, env, path)
		data, err := p.files.Open(ctx, env, path)
		if err == nil {
			return data, path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, path, err
		}
	}
	return nil, "", nil
}

// names lists the dotted names of the SLS in an environment; ok is false if pillar_roots lacks the
// environment.
func (p *pass) names(ctx context.Context, env string) (names []string, ok bool) {
	if env != base && !slices.Contains(p.files.Envs(), env) {
		return nil, false
	}
	if known, ok := p.seen.names[env]; ok {
		return known, true
	}
	p.seen.file(p.files, env, "")
	paths, err := p.files.List(ctx, env)
	if err != nil {
		p.fault(fmt.Sprintf("The files of pillar environment '%s' cannot be listed: %v", env, err))
	}
	for _, path := range paths {
		name, isSLS := strings.CutSuffix(path, ".sls")
		if !isSLS {
			continue
		}
		name = strings.ReplaceAll(name, "/", ".")
		if strings.HasSuffix(path, "/init.sls") {
			name = strings.TrimSuffix(name, ".init")
		}
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	p.seen.names[env] = names
	return names, true
}

// globbed returns the names that match a pattern.
func globbed(names []string, pattern string) (out []string) {
	for _, n := range names {
		if target.Glob(pattern, n) {
			out = append(out, n)
		}
	}
	return out
}

func noEnv(env string) string {
	return fmt.Sprintf("No matching pillar environment for environment '%s' found", env)
}

// render renders and merges the SLS of all environments.
func (p *pass) render(ctx context.Context, matches []found) *value.Map {
	out := p.r.Override.Clone()
	if out == nil || p.git {
		out = value.NewMap()
	}
	for _, m := range matches {
		var all []string
		for _, pattern := range m.sls {
			names, ok := p.names(ctx, m.env)
			if !ok {
				p.fault(noEnv(m.env))
			}
			if hits := globbed(names, pattern); len(hits) > 0 {
				all = append(all, hits...)
			} else {
				all = append(all, pattern)
			}
		}
		mods := map[string]any{}
		for _, name := range all {
			v, faults := p.one(ctx, name, m.env, mods, nil)
			p.errors = append(p.errors, faults...)
			if part, ok := v.(*value.Map); ok && part != nil {
				out = p.merge.merge(out, part)
			}
		}
	}
	return out
}

// one renders an SLS with its includes. mods contains what was rendered already, which ends include
// cycles. The value is nil or not a map if there is nothing to merge; faults contains the reason.
func (p *pass) one(ctx context.Context, name, env string, mods map[string]any, defaults *value.Map) (v any, faults []string) {
	fault := func(text string) {
		faults = append(faults, text)
		p.log.Error("Pillar render error: "+text, "sls", name, "saltenv", env) //nolint:sloglint // Salt's text
	}
	if ctx.Err() != nil { // reported once, by run
		return nil, nil
	}
	if p.seen.renders++; p.seen.renders > maxRenders {
		if p.seen.renders == maxRenders+1 {
			fault(fmt.Sprintf("More than %d SLS files are included; '%s' and all behind it are left out", maxRenders, name))
		}
		return nil, faults
	}
	data, path, err := p.sls(ctx, env, name)
	switch {
	case err != nil:
		mods[name] = nil
		fault(p.unrendered(name, path, env, err))
		return nil, faults
	case path == "" && p.ignored[env][name]:
		return nil, nil
	case path == "" && !slices.Contains(p.files.Envs(), env):
		p.log.Debug("pillar SLS skipped: environment not in pillar_roots", "sls", name, "saltenv", env)
		return nil, nil // the environment has its own entry
	case path == "":
		mods[name] = nil
		fault(fmt.Sprintf("Specified SLS '%s' in environment '%s' is not available on the salt master", name, env))
		return nil, faults
	}
	v, err = p.renderFile(ctx, render.Template{Source: data, SLS: name, Saltenv: env, Path: path}, defaults)
	if err != nil {
		mods[name] = nil
		if ctx.Err() == nil {
			faults = append(faults, p.unrendered(name, path, env, err))
		}
		return nil, faults
	}
	mods[name] = v
	state, ok := v.(*value.Map)
	if !ok {
		if pyfmt.Truth(v) {
			fault(fmt.Sprintf("SLS '%s' does not render to a dictionary", name))
		}
		return v, faults
	}
	in, ok := state.Get("include")
	if !ok {
		return state, faults
	}
	list, ok := in.([]any)
	if !ok {
		fault(fmt.Sprintf("Include Declaration in SLS '%s' is not formed as a list", name))
		return state, faults
	}
	state.Delete("include")
	v, more := p.includes(ctx, includer{name, path, env}, state, list, mods)
	return v, append(faults, more...)
}

// unrendered logs why an SLS could not be rendered and returns the text for the minion.
func (p *pass) unrendered(name, path, env string, err error) string {
	text := fmt.Sprintf("Rendering SLS '%s' failed, render error:\n%v", name, err)
	p.log.Error(text, "path", path, "saltenv", env) //nolint:sloglint // Salt's text
	if p.c.cfg.PillarSafeRenderError {
		return fmt.Sprintf("Rendering SLS '%s' failed. Please see master log for details.", name)
	}
	return text
}
