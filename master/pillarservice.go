package master

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/momtree/mom/internal/render"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
)

var _ runners.Pillars = runnerEnv{}

// openPillar reads what says where pillars come from.
func (m *Master) openPillar() error {
	c, err := pillar.New(pillar.Options{Config: m.cfg, Renderer: m.renderer, Decrypter: m.secretKeys(), Functions: masterFunctions{m: m, user: m.access.Own, quiet: true}, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.pillars = pillar.NewService(c, &m.above)
	return nil
}

// secretKeys opens gpg_keydir; nil where there is none, or none that can be read, which
// makes whatever is encrypted an error.
func (m *Master) secretKeys() render.Decrypter {
	dir := m.cfg.GpgKeydir
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	k, err := render.OpenKeyring(dir)
	if err != nil {
		m.log.Error("The secret keys for the renderer gpg cannot be read: what is encrypted for them is an error in pillars", "gpg_keydir", dir, "err", err)
		return nil
	}
	return k
}

// renderer makes the engine that renders pillars.
func (m *Master) renderer(l render.Loader, f render.Functions) (pillar.Renderer, error) {
	env, _ := wire.Normal(m.cfg.JinjaEnv).(*wire.Map)
	sls, _ := wire.Normal(m.cfg.JinjaSlsEnv).(*wire.Map)
	return render.New(render.Options{
		Loader: l, Functions: f, AllowUndefined: m.cfg.AllowUndefined, Env: env, SLSEnv: sls, GPG: m.secretKeys(),
	})
}

// Pillar compiles the pillar of a minion of the tree as this master would.
func (e runnerEnv) Pillar(ctx context.Context, q runners.PillarQuestion) (*wire.Map, error) {
	r, err := e.pillarRequest(ctx, q)
	if err != nil {
		return nil, err
	}
	return e.m.pillars.Compile(ctx, r)
}

// PillarTop gives what the top files say.
func (e runnerEnv) PillarTop(ctx context.Context, q runners.PillarQuestion) (*wire.Map, []string, error) {
	r, err := e.pillarRequest(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	top, faults := e.m.pillars.Top(ctx, r)
	return top, faults, nil
}

// pillarRequest is a request as the minion would make it, by what it told last. Of an
// unknown one Salt knows the name alone.
func (e runnerEnv) pillarRequest(ctx context.Context, q runners.PillarQuestion) (pillar.Request, error) {
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

// KeptPillars gives what pillar_cache has of minions of this master, and drops it if clear
// is set. on is false without pillar_cache.
func (e runnerEnv) KeptPillars(tgt any, tgtType, pillarenv string, clear bool) (kept *wire.Map, on bool, err error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{Nodegroups: e.m.cfg.Nodegroups})
	if err != nil {
		return nil, false, err
	}
	kept = wire.NewMap()
	ids := e.m.keys.List(keys.Accepted)
	slices.Sort(ids)
	for _, id := range ids {
		if !expr.Match(e.m.data.Subject(id)) {
			continue
		}
		if clear {
			e.m.pillars.Forget(id)
		}
		p, cached := e.m.pillars.Cached(id, pillarenv)
		if on = on || cached; p != nil {
			kept.Set(id, p)
		}
	}
	return kept, on || e.m.cfg.PillarCache, nil
}
