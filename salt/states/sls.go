package states

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// collection joins the SLS files of one run.
type collection struct {
	*Run
	// mods are the rendered files, as env:sls. Each is rendered once, so files may include
	// each other.
	mods map[string]bool
	// matches are the requested names by environment.
	matches *value.Map
}

// Collect renders the SLS files in matches, and those they include, to high data. errs are
// compile errors; err means that the files are not available.
func (r *Run) Collect(ctx context.Context, matches *value.Map) (high *value.Map, errs []string, err error) {
	c := &collection{Run: r, mods: map[string]bool{}, matches: matches}
	high = value.NewMap()
	matches.Range(func(env, names any) bool {
		for _, name := range listOf(names) {
			var more []string
			more, err = c.add(ctx, high, str(env), str(name))
			errs = append(errs, more...)
			if err != nil {
				return false
			}
		}
		return true
	})
	if err == nil {
		cleanExtends(high)
	}
	return high, errs, err
}

// add renders the SLS files that a name, possibly with wildcards, matches.
func (c *collection) add(ctx context.Context, high *value.Map, env, name string) (errs []string, err error) {
	there, err := c.hasEnv(ctx, env)
	if err != nil {
		return nil, err
	}
	var found []string
	if there {
		names, err := c.states(ctx, env)
		if err != nil {
			return nil, err
		}
		found = filter(names, name)
	} else {
		errs = append(errs, fmt.Sprintf("No matching salt environment for environment '%s' found", env))
	}
	if len(found) == 0 {
		found = []string{name} // the list may be older than the file
	}
	for _, sls := range found {
		if c.mods[env+":"+sls] {
			continue
		}
		state, more, err := c.render(ctx, sls, env)
		if err != nil {
			return errs, err
		}
		if state.Len() > 0 {
			more = append(more, mergeStates(high, state)...)
		}
		for i, e := range more {
			if strings.Contains(e, "is not available") && strings.Contains(e, "SLS "+name+" in saltenv") {
				more[i] = fmt.Sprintf("No matching sls found for '%s' in env '%s'", name, env)
			}
		}
		errs = append(errs, more...)
	}
	return errs, nil
}

// render renders one SLS and those it includes.
func (c *collection) render(ctx context.Context, sls, env string) (state *value.Map, errs []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	path, data, found, err := c.find(ctx, env, sls)
	var large *TooLargeError
	switch {
	case errors.As(err, &large):
		c.mods[env+":"+sls] = true
		return nil, []string{fmt.Sprintf("Rendering SLS '%s:%s' failed: %v", env, sls, large)}, nil
	case err != nil:
		return nil, nil, err
	case !found:
		return nil, []string{fmt.Sprintf("Specified SLS %s in saltenv %s is not available on the salt master or through a configured fileserver", sls, env)}, nil
	}
	v, err := c.o.Renderer.Render(ctx, Template{Data: data, Saltenv: env, SLS: sls, Path: path})
	if cause := ctx.Err(); cause != nil {
		return nil, nil, cause
	}
	c.mods[env+":"+sls] = true
	c.rendered = append(c.rendered, sls)
	if err != nil {
		return nil, []string{fmt.Sprintf("Rendering SLS '%s:%s' failed: %v", env, sls, err)}, nil
	}
	if !pyfmt.Truth(v) {
		return value.NewMap(), nil, nil
	}
	state, ok := copied(v).(*value.Map)
	if !ok {
		return nil, []string{fmt.Sprintf("SLS %s does not render to a dictionary", sls)}, nil
	}
	errs, err = c.complete(ctx, state, sls, env, path)
	return state, errs, err
}

// complete converts one rendered SLS to high data and merges its includes.
func (c *collection) complete(ctx context.Context, state *value.Map, sls, env, path string) (errs []string, err error) {
	var includes []any
	if v, ok := state.Get("include"); ok {
		if list, ok := v.([]any); ok {
			includes = list
			state.Delete("include")
		} else {
			errs = append(errs, fmt.Sprintf("Include Declaration in SLS %s is not formed as a list", sls))
		}
	}
	errs = append(errs, takeExtend(state, sls, env)...)
	errs = append(errs, takeExclude(state, sls)...)
	errs = append(errs, declare(state, sls, env)...)
	for _, inc := range includes {
		more, err := c.include(ctx, state, inc, sls, env, path)
		errs = append(errs, more...)
		if err != nil {
			return errs, err
		}
	}
	if !c.o.NoAutoOrder {
		c.number(state)
	}
	return errs, nil
}

// include merges one entry of an include list into state.
func (c *collection) include(ctx context.Context, state *value.Map, inc any, sls, env, path string) (errs []string, err error) {
	name, incEnv := str(inc), env
	if m := mapOf(inc); m.Len() > 0 {
		keys := m.Keys()
		last := keys[len(keys)-1]
		v, _ := m.GetKey(last)
		name, incEnv = str(v), str(last)
	}
	if incEnv != xenv {
		there, err := c.hasEnv(ctx, incEnv)
		if err != nil {
			return nil, err
		}
		if !there {
			return []string{fmt.Sprintf("Nonexistent saltenv '%s' found in include of '%s' within SLS '%s:%s'", incEnv, name, env, sls)}, nil
		}
	}
	if strings.HasPrefix(name, ".") {
		absolute, problem := relative(name, sls, env, path)
		if problem != "" {
			return []string{problem}, nil
		}
		name = absolute
	}
	resolved, err := c.resolve(ctx, incEnv, name)
	if err != nil {
		return nil, err
	}
	if len(resolved) != 1 && !contains(resolved, env) {
		if len(resolved) > 1 {
			return []string{fmt.Sprintf("Ambiguous include: Specified SLS %s: %s is available on the salt master in multiple available saltenvs: %s",
				incEnv, name, strings.Join(resolved, ", "))}, nil
		}
		in := incEnv
		if incEnv == xenv {
			in = strings.Join(c.askedEnvs(), ", ")
		}
		return []string{fmt.Sprintf("Unknown include: Specified SLS %s: %s is not available on the salt master in saltenv(s): %s ", incEnv, name, in)}, nil
	}
	if len(resolved) == 1 {
		incEnv = resolved[0]
	} else {
		incEnv = env
	}
	names, err := c.states(ctx, env)
	if err != nil {
		return nil, err
	}
	targets := filter(names, name)
	if len(targets) == 0 {
		targets = []string{name}
	}
	for _, t := range targets {
		if c.mods[incEnv+":"+t] {
			continue
		}
		more, problems, err := c.render(ctx, t, incEnv)
		if err != nil {
			return errs, err
		}
		if more.Len() > 0 {
			errs = append(errs, mergeStates(state, more)...)
		}
		errs = append(errs, problems...)
	}
	return errs, nil
}

// xenv in an include stands for the requested environments that have the SLS.
const xenv = "_xenv"

// resolve returns the environments with an included SLS.
func (c *collection) resolve(ctx context.Context, env, name string) ([]string, error) {
	try := c.askedEnvs()
	if env != xenv {
		if contains(try, env) {
			return []string{env}, nil
		}
		try = []string{env}
	}
	var out []string
	for _, e := range try {
		names, err := c.states(ctx, e)
		if err != nil {
			return nil, err
		}
		if len(filter(names, name)) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// askedEnvs returns the environments of the request.
func (c *collection) askedEnvs() []string {
	var out []string
	c.matches.Range(func(env, _ any) bool {
		out = append(out, str(env))
		return true
	})
	return out
}

// relative returns the full name of an include that begins with dots.
func relative(name, sls, env, path string) (absolute, problem string) {
	rest := strings.TrimLeft(name, ".")
	level := len(name) - len(rest)
	parts := strings.Split(sls, ".")
	if strings.HasSuffix("/"+path, "/init.sls") {
		parts = append(parts, "init")
	}
	if level > len(parts) {
		return "", fmt.Sprintf("Attempted relative include of '%s' within SLS '%s:%s' goes beyond top level package ", name, env, sls)
	}
	return strings.Join(append(parts[:len(parts)-level:len(parts)-level], rest), "."), ""
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
