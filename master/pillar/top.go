package pillar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// aim is one target of the merged top files.
type aim struct {
	target any
	kind   string
	order  int64
	sls    []string
}

// aims are the targets of one environment, in order of precedence.
type aims struct {
	env  string
	list []*aim
}

const badTop = "Error encountered while rendering pillar top file."

// top reads and merges the top files. Their faults come last, as in Salt.
func (p *pass) top(ctx context.Context) (merged []*aims, faults []string) {
	fault := func(text string, err error) {
		faults = append(faults, text)
		p.log.Error("Pillar render error: "+text, "err", err) //nolint:sloglint // Salt's text
	}
	var tops []*value.Map
	var included []include
	for _, env := range p.topEnvs() {
		name := strings.TrimPrefix(strings.TrimPrefix(p.c.cfg.StateTop, "salt://"), "/")
		p.seen.file(p.files, env, name)
		data, err := p.files.Open(ctx, env, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var top *value.Map
		if err == nil {
			top, err = p.topFile(ctx, data, env, name, "")
		}
		if err != nil {
			// Salt reads no further top file either.
			fault("Rendering Primary Top file failed, render error:\n"+err.Error(), err)
			break
		}
		list, err := includesOf(top)
		if err != nil {
			fault(badTop, err)
			continue
		}
		for _, sls := range list {
			included = append(included, include{env, sls})
		}
		tops = append(tops, top)
	}
	done := map[include]bool{}
	for _, in := range included {
		if done[in] {
			continue
		}
		done[in] = true
		top, err := p.topInclude(ctx, in)
		if err != nil {
			fault(fmt.Sprintf("Rendering Top file %s failed, render error:\n%v", in.sls, err), err)
			continue
		}
		tops = append(tops, top)
	}
	merged, err := p.mergeTops(tops)
	if err != nil {
		fault(badTop, err)
		return nil, faults
	}
	return merged, faults
}

type include struct{ env, sls string }

// topEnvs lists the environments whose top files are used.
func (p *pass) topEnvs() []string {
	all := p.files.Envs()
	if p.env != "" {
		if slices.Contains(all, p.env) {
			return []string{p.env}
		}
		return nil
	}
	var out []string
	for _, env := range slices.Concat(p.c.cfg.EnvOrder, []string{base}, all) {
		if (slices.Contains(all, env) || env == base) && !slices.Contains(out, env) {
			out = append(out, env)
		}
	}
	if p.merge.strategy == "none" {
		only := firstOf(p.r.Saltenv, base)
		out = slices.DeleteFunc(out, func(env string) bool { return env != only })
	}
	return out
}

// topFile renders one top file.
func (p *pass) topFile(ctx context.Context, data []byte, env, path, sls string) (*value.Map, error) {
	v, err := p.renderFile(ctx, render.Template{Source: data, SLS: sls, Saltenv: env, Path: path}, nil)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return value.NewMap(), nil
	case *value.Map:
		return v, nil
	case string:
		if strings.TrimSpace(v) == "" {
			return value.NewMap(), nil
		}
	}
	return nil, fmt.Errorf("the top file %s of environment %s does not render to a dictionary", path, env)
}

// topInclude reads a top file that another one includes.
func (p *pass) topInclude(ctx context.Context, in include) (*value.Map, error) {
	data, path, err := p.sls(ctx, in.env, in.sls)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, fmt.Errorf("Specified SLS '%s' in environment '%s' is not available on the salt master", in.sls, in.env)
	}
	return p.topFile(ctx, data, in.env, path, in.sls)
}

// includesOf removes and returns the includes of a top file.
func includesOf(top *value.Map) ([]string, error) {
	v, ok := top.Get("include")
	if !ok {
		return nil, nil
	}
	top.Delete("include")
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("include of the top file is not a list")
	}
	var out []string
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return nil, fmt.Errorf("include of the top file names %v, which is not a text", e)
		}
		out = append(out, s)
	}
	return out, nil
}

// mergeTops merges the targets of all top files. A repeated target replaces the earlier one in its
// position.
func (p *pass) mergeTops(tops []*value.Map) ([]*aims, error) {
	var out []*aims
	for _, top := range tops {
		var fault error
		top.Range(func(key, val any) bool {
			env, ok := key.(string)
			if !ok {
				env = fmt.Sprint(key)
			}
			if env == "include" { // of an included top file
				return true
			}
			targets, ok := val.(*value.Map)
			if !ok {
				fault = fmt.Errorf("environment %s of a top file has no targets", env)
				return false
			}
			i := slices.IndexFunc(out, func(a *aims) bool { return a.env == env })
			if i < 0 {
				i, out = len(out), append(out, &aims{env: env})
			}
			in := out[i]
			targets.Range(func(tgt, what any) bool {
				var a *aim
				if a, fault = p.aim(env, tgt, what); fault != nil {
					return false
				}
				if at := slices.IndexFunc(in.list, func(o *aim) bool { return o.target == tgt }); at >= 0 {
					in.list[at] = a
				} else {
					in.list = append(in.list, a)
				}
				return true
			})
			return fault == nil
		})
		if fault != nil {
			return nil, fault
		}
	}
	for _, a := range out {
		slices.SortStableFunc(a.list, func(x, y *aim) int { return cmp.Compare(x.order, y.order) })
	}
	return out, nil
}

// aim parses the entry of one target in a top file.
func (p *pass) aim(env string, tgt, what any) (*aim, error) {
	a := &aim{target: tgt, kind: "compound"}
	var parts []any
	switch what := what.(type) {
	case []any:
		parts = what
	case string: // Salt iterates over its characters
		for _, r := range what {
			parts = append(parts, string(r))
		}
	case *value.Map:
		parts = what.Keys()
	default:
		return nil, fmt.Errorf("target %v of environment %s is not followed by a list of SLS files", tgt, env)
	}
	ignore := false
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			if !slices.Contains(a.sls, part) {
				a.sls = append(a.sls, part)
			}
		case *value.Map:
			if kind, ok := part.Get("match"); ok {
				a.kind = fmt.Sprint(kind)
			}
			if n, ok := part.Get("order"); ok {
				a.order = orderOf(n)
			}
			ignore = ignore || part.Bool("ignore_missing")
		}
	}
	if ignore {
		if p.ignored[env] == nil {
			p.ignored[env] = map[string]bool{}
		}
		for _, sls := range a.sls {
			p.ignored[env][sls] = true
		}
	}
	return a, nil
}

// orderOf parses order; anything but a number is 0.
func orderOf(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	case bool:
		if v {
			return 1
		}
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// found holds the SLS of one environment for a minion.
type found struct {
	env string
	sls []string
}

// matches lists the SLS whose targets match the minion.
func (p *pass) matches(top []*aims) []found {
	var out []found
	for _, in := range top {
		if p.env != "" && in.env != p.env {
			continue
		}
		f := found{env: in.env}
		hit := false
		for _, a := range in.list {
			ok, err := p.match(a.target, kindOf(a))
			if err != nil {
				p.fault(fmt.Sprintf("Pillar top file, environment '%s': %v", in.env, err))
				continue
			}
			if !ok {
				continue
			}
			hit = true
			for _, sls := range a.sls {
				if !slices.Contains(f.sls, sls) {
					f.sls = append(f.sls, sls)
				}
			}
		}
		if hit {
			out = append(out, f)
		}
	}
	return out
}

// kindOf returns the type of a target. A numeric YAML key matches nothing in Salt; here it is the
// text as written, because a minion may have such an id.
func kindOf(a *aim) string {
	if _, ok := a.target.(string); !ok {
		a.target = fmt.Sprint(a.target)
		return "glob"
	}
	return a.kind
}
