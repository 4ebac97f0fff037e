package state

import (
	"context"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// runEnv is the minion with the pillar and the test flag of one run of states.
type runEnv struct {
	modules.Env
	pillar *value.Map
	test   bool

	override           any
	saltenv, pillarenv string
}

// Option implements [modules.Env].
func (e *runEnv) Option(name string) any {
	if name == "test" {
		return e.test
	}
	return e.Env.Option(name)
}

// Options implements [modules.Env].
func (e *runEnv) Options() *value.Map {
	o := e.Env.Options()
	o.Set("test", e.test)
	for name, v := range map[string]string{"saltenv": e.saltenv, "pillarenv": e.pillarenv} {
		if v != "" {
			o.Set(name, v)
		}
	}
	o.Set("pillar", e.pillar)
	o.Set("grains", e.Grains())
	return o
}

// Pillar implements [modules.Env].
func (e *runEnv) Pillar() *value.Map { return e.pillar }

// givePillar compiles the pillar of the run. Without a master, it merges override over the
// current pillar.
func (e *runEnv) givePillar(ctx context.Context, override any, saltenv, pillarenv string) error {
	e.override, e.saltenv, e.pillarenv = override, saltenv, pillarenv
	m, ok := override.(*value.Map)
	if override != nil && !ok {
		return &modules.InvocationError{Msg: "Pillar data must be formatted as a dictionary, unless pillar_enc is specified."}
	}
	if masterless(e.Env) {
		e.pillar = e.Env.Pillar()
		if m != nil {
			e.pillar = merged(e.pillar, m)
		}
		return nil
	}
	p, err := e.Env.CompilePillar(ctx, modules.PillarOptions{Override: m, Saltenv: saltenv, Pillarenv: pillarenv})
	e.pillar = p
	return err
}

// merged returns a with b merged over it, recursively.
func merged(a, b *value.Map) *value.Map {
	out := value.NewMap()
	a.Range(func(k, v any) bool {
		out.Set(k, v)
		return true
	})
	b.Range(func(k, v any) bool {
		old, _ := out.GetKey(k)
		x, isMap := old.(*value.Map)
		if y, ok := v.(*value.Map); ok && isMap {
			v = merged(x, y)
		}
		out.Set(k, v)
		return true
	})
	return out
}

// reload refreshes grains and pillar for the states that follow.
func (e *runEnv) reload(ctx context.Context, grains, pillar bool) error {
	if grains {
		if err := e.RefreshGrains(ctx, false); err != nil {
			return err
		}
	}
	if pillar {
		return e.givePillar(ctx, e.override, e.saltenv, e.pillarenv)
	}
	return nil
}
