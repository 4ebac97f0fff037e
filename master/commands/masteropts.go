package commands

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_master_opts", Who: server.Peer,
		Args: []string{"env_only"},
		Doc: `
Returns the options that a minion needs to render states.

env_only
    Only options about environments.
`,
	}, func(p *Parts) server.Handler { return masterOpts{p.Config, p.Files}.serve })
}

type masterOpts struct {
	config *config.Master
	files  *files.Server
}

// serve returns the options that Salt's master returns, and the names of the environments (Salt's
// reference on states, §6). It does not reveal the paths of their files.
func (c masterOpts) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	envs, err := c.files.Envs(ctx, "")
	if err != nil {
		return nil, later(fmt.Errorf("the environments, for %s: %w", r.ID, err))
	}
	roots := wire.NewMap()
	for _, env := range envs {
		roots.Set(env, []any{})
	}
	o := c.config
	out := wire.NewMap("file_roots", roots, "top_file_merging_strategy", o.TopFileMergingStrategy,
		"env_order", wire.AnyList(o.EnvOrder), "default_top", o.DefaultTop)
	if d.Bool("env_only") {
		return out, nil
	}
	for _, kv := range []struct {
		k string
		v any
	}{
		{"renderer", o.Renderer},
		{"failhard", o.Failhard},
		{"state_top", o.StateTop},
		{"state_top_saltenv", orNil(o.StateTopSaltenv)},
		{"nodegroups", sortedMap(o.Nodegroups)},
		{"state_auto_order", o.StateAutoOrder},
		{"state_events", o.StateEvents},
		{"state_aggregate", o.StateAggregate.Value()},
		{"jinja_env", sortedMap(o.JinjaEnv)},
		{"jinja_sls_env", sortedMap(o.JinjaSlsEnv)},
		{"jinja_lstrip_blocks", o.JinjaLstripBlocks},
		{"jinja_trim_blocks", o.JinjaTrimBlocks},
	} {
		out.Set(kv.k, kv.v)
	}
	return out, nil
}

// orNil returns nil (None) for an empty option.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func sortedMap(m map[string]any) *wire.Map {
	out := wire.NewMap()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out.Set(k, m[k])
	}
	return out
}
