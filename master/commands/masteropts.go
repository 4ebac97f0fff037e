package commands

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_master_opts", Who: server.Peer,
		Args: []string{"env_only"},
		Doc: `
What a minion must know of its master to render states: Salt's defaults.

env_only
    Only what is about environments.
`,
	}, func(p *Parts) server.Handler { return masterOpts{p.Config.Nodegroups}.serve })
}

type masterOpts struct{ nodegroups map[string]any }

// serve gives Salt's defaults, for there are no states here yet.
func (c masterOpts) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("master options for %q: %w", r.ID, err)
	}
	out := wire.NewMap("file_roots", wire.NewMap("base", []any{}), "top_file_merging_strategy", "merge",
		"env_order", []any{}, "default_top", "base")
	if d.Bool("env_only") {
		return out, nil
	}
	groups := wire.NewMap()
	for _, name := range slices.Sorted(maps.Keys(c.nodegroups)) {
		groups.Set(name, c.nodegroups[name])
	}
	for _, kv := range []struct {
		k string
		v any
	}{
		{"renderer", "jinja|yaml"},
		{"failhard", false},
		{"state_top", "top.sls"},
		{"state_top_saltenv", nil},
		{"nodegroups", groups},
		{"state_auto_order", true},
		{"state_events", false},
		{"state_aggregate", false},
		{"jinja_env", wire.NewMap()},
		{"jinja_sls_env", wire.NewMap()},
		{"jinja_lstrip_blocks", false},
		{"jinja_trim_blocks", false},
	} {
		out.Set(kv.k, kv.v)
	}
	return out, nil
}
