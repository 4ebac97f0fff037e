package runnerenv

import (
	"context"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
)

var _ runners.Pillars = Env{}

// Pillar compiles the pillar of a minion of the tree, as this master would.
func (e Env) Pillar(ctx context.Context, q runners.PillarQuestion) (*wire.Map, error) {
	r, err := e.pillarRequest(ctx, q)
	if err != nil {
		return nil, err
	}
	return e.p.Pillars.Compile(ctx, r)
}

// PillarTop returns the merged top files.
func (e Env) PillarTop(ctx context.Context, q runners.PillarQuestion) (*wire.Map, []string, error) {
	r, err := e.pillarRequest(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	top, faults := e.p.Pillars.Top(ctx, r)
	return top, faults, nil
}

// pillarRequest returns the request that the minion would send, with its cached grains. Of an
// unknown minion only the id is known, as in Salt.
func (e Env) pillarRequest(ctx context.Context, q runners.PillarQuestion) (pillar.Request, error) {
	r := pillar.Request{ID: q.ID, Saltenv: q.Saltenv, Pillarenv: q.Pillarenv, Passing: true}
	if q.ID != "*" {
		known, _, err := e.Known(ctx, runners.Known{Tgt: []any{q.ID}, TgtType: "list", Grains: true})
		if err != nil {
			return r, fmt.Errorf("grains of %s: %w", q.ID, err)
		}
		if g := known[q.ID].Map("grains"); g != nil {
			r.Grains, _ = pillar.Copy(g).(*wire.Map)
		}
	}
	if r.Grains == nil {
		r.Grains = wire.NewMap("fqdn", q.ID)
	}
	for _, k := range q.Grains.Keys() {
		v, _ := q.Grains.GetKey(k)
		r.Grains.Set(k, v)
	}
	return r, nil
}

// KeptPillars returns the pillars in pillar_cache for minions of this master, and drops them if
// clear is set. on is false without pillar_cache.
func (e Env) KeptPillars(tgt any, tgtType, pillarenv string, clear bool) (kept *wire.Map, on bool, err error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{Nodegroups: e.p.Config.Nodegroups})
	if err != nil {
		return nil, false, err
	}
	kept = wire.NewMap()
	ids := e.p.Keys.List(keys.Accepted)
	slices.Sort(ids)
	for _, id := range ids {
		if !expr.Match(e.p.Data.Subject(id)) {
			continue
		}
		if clear {
			e.p.Pillars.Forget(id)
		}
		p, cached := e.p.Pillars.Cached(id, pillarenv)
		if on = on || cached; p != nil {
			kept.Set(id, p)
		}
	}
	return kept, on || e.p.Config.PillarCache, nil
}
