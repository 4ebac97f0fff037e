package pillar

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/value"
)

// includer is an SLS that includes others.
type includer struct{ name, path, env string }

// includes merges the included SLS with the SLS itself, whose values win unless
// pillar_includes_override_sls is set.
func (p *pass) includes(ctx context.Context, by includer, state *value.Map, list []any, mods map[string]any) (out *value.Map, faults []string) {
	over := p.c.cfg.PillarIncludesOverrideSls
	below := value.NewMap()
	var last []string // entries of the last rendered SLS, which Salt repeats for each skipped name
	for _, entry := range list {
		in, err := readInclude(entry)
		if err != nil {
			text := fmt.Sprintf("Include Declaration in SLS '%s': %v", by.name, err)
			p.log.Error("Pillar render error: "+text, "sls", by.name) //nolint:sloglint // Salt's text
			faults = append(faults, text)
			continue
		}
		names, known := p.meant(ctx, by, in.sls)
		if !known {
			faults = append(faults, noEnv(by.env))
		}
		for _, name := range names {
			v, rendered := mods[name]
			if !rendered {
				v, last = p.one(ctx, name, by.env, mods, in.defaults)
			}
			faults = append(faults, last...)
			part, ok := v.(*value.Map)
			if !ok || part.Len() == 0 {
				continue
			}
			part = in.under(part)
			if over {
				state = p.merge.merge(state, part)
			} else {
				below = p.merge.merge(below, part)
			}
		}
	}
	if over {
		return state, faults
	}
	return p.merge.merge(below, state), faults
}

// inclusion is one entry of include.
type inclusion struct {
	sls      string
	key      string // where the data goes; "": the top
	defaults *value.Map
}

// readInclude parses NAME, or {NAME: {key: …, defaults: …}}.
func readInclude(entry any) (in inclusion, err error) {
	if s, ok := entry.(string); ok {
		return inclusion{sls: s}, nil
	}
	m, ok := entry.(*value.Map)
	if !ok || m.Len() != 1 {
		return in, fmt.Errorf("an entry is neither the name of an SLS nor a mapping of one to key and defaults")
	}
	m.Range(func(k, v any) bool {
		if in.sls, ok = k.(string); !ok {
			err = fmt.Errorf("%v is not the name of an SLS", k)
			return false
		}
		how, isMap := v.(*value.Map)
		if !isMap {
			err = fmt.Errorf("'%s' is not followed by a mapping of key and defaults", in.sls)
			return false
		}
		key, _ := how.Get("key")
		switch key := key.(type) {
		case nil:
		case string:
			in.key = key
		default:
			err = fmt.Errorf("the key of '%s' is not a text", in.sls)
			return false
		}
		defaults, _ := how.Get("defaults")
		switch defaults := defaults.(type) {
		case nil:
		case *value.Map:
			in.defaults = defaults
		default:
			err = fmt.Errorf("the defaults of '%s' are not a mapping", in.sls)
		}
		return false
	})
	return in, err
}

// under nests data below the key: x:y yields {x: {y: data}}.
func (in inclusion) under(data *value.Map) *value.Map {
	if in.key == "" {
		return data
	}
	parts := strings.Split(in.key, ":")
	for i := len(parts) - 1; i >= 0; i-- {
		data = value.NewMap(parts[i], data)
	}
	return data
}

// meant lists the SLS that a name in include stands for: the matches of a pattern, else the name
// itself. A name that begins with a dot is relative to the including SLS; like Salt, meant also
// looks for the rest of the name in the whole environment.
func (p *pass) meant(ctx context.Context, by includer, sls string) (names []string, known bool) {
	all, known := p.names(ctx, by.env)
	if !known {
		return []string{sls}, false
	}
	out := globbed(all, strings.ReplaceAll(strings.TrimLeft(sls, "."), "/", "."))
	if rest, relative := strings.CutPrefix(sls, "."); relative {
		parts := strings.Split(by.name, ".")
		if !strings.HasSuffix(by.path, "/init.sls") {
			parts = parts[:len(parts)-1]
		}
		sls = strings.Join(append(parts, rest), ".")
	}
	out = append(out, globbed(all, sls)...)
	if len(out) == 0 {
		out = []string{sls}
	}
	return out, true
}
