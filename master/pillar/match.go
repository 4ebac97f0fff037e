package pillar

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// matchKinds are the functions of match that take a target.
var matchKinds = []string{"compound", "glob", "grain", "grain_pcre", "ipcidr", "list", "pcre", "pillar", "pillar_pcre"}

func init() {
	for _, kind := range matchKinds {
		second := "minion_id="
		if strings.HasPrefix(kind, "grain") || strings.HasPrefix(kind, "pillar") {
			second = "delimiter="
		}
		calls["match."+kind] = function{args: []string{"tgt", second}, steady: true, run: func(ctx context.Context, a args) (any, error) {
			p, err := matching(ctx, kind)
			if err != nil {
				return nil, err
			}
			return p.means(a["tgt"], kind, a), nil
		}}
	}
	calls["match.filter_by"] = function{
		args: []string{"lookup", "tgt_type=", "minion_id=", "merge=", "merge_lists=", "default="}, steady: true, run: matchFilterBy,
	}
	calls["match.search_by"] = function{args: []string{"lookup", "tgt_type=", "minion_id="}, steady: true, run: matchSearchBy}
}

// matching returns the pass of a template that calls a function of match.
func matching(ctx context.Context, name string) (*pass, error) {
	p := passOf(ctx)
	if p == nil {
		return nil, fmt.Errorf("match.%s: only templates of pillar can call it", name)
	}
	return p, nil
}

// means reports whether a target matches the minion named by the argument minion_id, with the
// grains and the pillar of the pass. The default id is that of the master, as in Salt. An invalid
// target matches nothing.
func (p *pass) means(tgt any, kind string, a args) bool {
	id := p.c.cfg.ID
	if pyfmt.Truth(a["minion_id"]) {
		id = a.text("minion_id")
	}
	if _, list := tgt.([]any); !list {
		tgt = pyfmt.Str(tgt)
	}
	e, err := target.Parse(tgt, kind, target.Options{Nodegroups: p.c.cfg.Nodegroups, Delimiter: a.text("delimiter")})
	if err != nil {
		p.c.log.Warn("target not matched", "tgt", tgt, "tgt_type", kind, "minion", p.r.ID, "err", err)
		return false
	}
	return e.Match(named{subject{p}, id})
}

// named is the minion of a pass under another id.
type named struct {
	subject
	id string
}

func (n named) ID() string { return n.id }

// lookup reads the arguments that filter_by and search_by share.
func lookup(ctx context.Context, name string, a args) (p *pass, m *value.Map, kind string, err error) {
	if p, err = matching(ctx, name); err != nil {
		return nil, nil, "", err
	}
	m, ok := a["lookup"].(*value.Map)
	if !ok {
		return nil, nil, "", fmt.Errorf("match.%s: lookup must be a map", name)
	}
	if kind = strings.TrimSuffix(a.text("tgt_type"), "_"); kind == "" {
		kind = "compound"
	}
	if _, ok := calls["match."+kind]; !ok || strings.HasSuffix(kind, "_by") {
		return nil, nil, "", fmt.Errorf("match.%s: tgt_type %q is not a kind of target", name, kind)
	}
	return p, m, kind, nil
}

func matchFilterBy(ctx context.Context, a args) (any, error) {
	p, m, kind, err := lookup(ctx, "filter_by", a)
	if err != nil {
		return nil, err
	}
	for _, key := range m.Keys() {
		if !p.means(key, kind, a) {
			continue
		}
		found, _ := m.GetKey(key)
		return mergedWith(found, a)
	}
	by, given := a["default"]
	if !given {
		by = "default"
	}
	v, _ := m.GetKey(by)
	return v, nil
}

// mergedWith merges the argument merge into a value.
func mergedWith(found any, a args) (any, error) {
	if !pyfmt.Truth(a["merge"]) {
		return found, nil
	}
	with, ok := a["merge"].(*value.Map)
	if !ok {
		return nil, errors.New("match.filter_by: merge must be a map")
	}
	if found == nil {
		return with, nil
	}
	base, ok := found.(*value.Map)
	if !ok {
		return nil, errors.New("match.filter_by: what is found is not a map, so merge cannot be merged into it")
	}
	return merger{strategy: "recurse", lists: pyfmt.Truth(a["merge_lists"])}.merge(base, with), nil
}

func matchSearchBy(ctx context.Context, a args) (any, error) {
	p, m, kind, err := lookup(ctx, "search_by", a)
	if err != nil {
		return nil, err
	}
	var out []any
	m.Range(func(key, v any) bool {
		targets, _ := v.([]any)
		for _, tgt := range targets {
			if p.means(tgt, kind, a) {
				out = append(out, key)
			}
		}
		return true
	})
	if out == nil {
		return nil, nil
	}
	return out, nil
}
