package runners

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// PillarQuestion selects a pillar to compile.
type PillarQuestion struct {
	ID                 string // "*" for the pillar that all minions get
	Saltenv, Pillarenv string
	Grains             *wire.Map // override the cached grains
}

// Pillars is an [Env] of a master that compiles pillar.
type Pillars interface {
	// Pillar compiles a pillar. Its errors are in the pillar, under _errors.
	Pillar(ctx context.Context, q PillarQuestion) (*wire.Map, error)
	// PillarTop returns the merged top files and their errors.
	PillarTop(ctx context.Context, q PillarQuestion) (top *wire.Map, faults []string, err error)
	// KeptPillars returns the pillars in pillar_cache. With clear it drops them first. on is false
	// if pillar_cache is off.
	KeptPillars(tgt any, tgtType, pillarenv string, clear bool) (kept *wire.Map, on bool, err error)
}

func init() {
	Register(
		Function{Name: "pillar.show_pillar", Args: []string{"minion="}, AnyKwargs: true, Private: true, Run: showPillar, Doc: `
The pillar of a minion, compiled now with the grains of its last request. The pillar is
neither on the event bus nor stored.

minion : *
    Its id. Default: the pillar that every minion receives.
saltenv : base
    The state environment of the request.
pillarenv
    The pillar environment. Default: all.

Further keywords are added to the grains of the minion.

    salt-run pillar.show_pillar web1
    salt-run pillar.show_pillar web1 pillarenv=dev role=db
`},
		Function{Name: "pillar.show_top", Args: []string{"minion=", "saltenv="}, Run: showPillarTop, Doc: `
The merged top files of pillar: the SLS files of each target in each environment; or their
errors.

minion
    The minion whose grains render the top files. Default: none.
saltenv : base
    The state environment of the request.

    salt-run pillar.show_top
    salt-run pillar.show_top web1
`},
		Function{Name: "pillar.show_pillar_cache", Args: []string{"minion=", "tgt_type=", "pillarenv=", "saltenv="}, Private: true, Run: keptPillars(false), Doc: `
The cached pillars of minions of this master. False without pillar_cache.

minion, tgt_type : *, glob
    The minions.
pillarenv
    The pillar environment of the request. Default: none.
saltenv
    Has no effect.

    salt-run pillar.show_pillar_cache 'web*'
`},
		Function{Name: "pillar.clear_pillar_cache", Args: []string{"minion=", "tgt_type=", "pillarenv=", "saltenv="}, Private: true, Run: keptPillars(true), Doc: `
Remove the cached pillars of minions of this master, so that the next ones are compiled
again. False without pillar_cache: cached pillars are then never older than their files.

minion, tgt_type : *, glob
    The minions.
pillarenv, saltenv
    Have no effect: the pillars of all environments are removed.

    salt-run pillar.clear_pillar_cache web1
`},
	)
}

func pillars(c *Call) (Pillars, error) {
	p, ok := c.Env.(Pillars)
	if !ok {
		return nil, errors.New(c.Fun() + ": this master compiles no pillars")
	}
	return p, nil
}

func showPillar(ctx context.Context, c *Call) (any, error) {
	p, err := pillars(c)
	if err != nil {
		return nil, err
	}
	q := PillarQuestion{ID: c.Text("minion"), Saltenv: "base", Grains: wire.NewMap()}
	if q.ID == "" {
		q.ID = "*"
	}
	c.Extra().Range(func(k, v any) bool {
		switch {
		case k == "saltenv" && v != nil:
			q.Saltenv = pyfmt.Str(v)
		case k == "pillarenv" && v != nil:
			q.Pillarenv = pyfmt.Str(v)
		default:
			q.Grains.Set(k, v)
		}
		return true
	})
	return p.Pillar(ctx, q)
}

func showPillarTop(ctx context.Context, c *Call) (any, error) {
	p, err := pillars(c)
	if err != nil {
		return nil, err
	}
	q := PillarQuestion{ID: c.Text("minion"), Saltenv: c.Text("saltenv")}
	if q.ID == "" {
		q.ID = "*"
	}
	if q.Saltenv == "" {
		q.Saltenv = "base"
	}
	top, faults, err := p.PillarTop(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return wire.AnyList(faults), nil
	}
	return top, nil
}

func keptPillars(clear bool) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		p, err := pillars(c)
		if err != nil {
			return nil, err
		}
		tgt, kind := any("*"), "glob"
		if v, ok := c.Given("minion"); ok {
			tgt = v
		}
		if t := c.Text("tgt_type"); t != "" {
			kind = t
		}
		kept, on, err := p.KeptPillars(tgt, kind, c.Text("pillarenv"), clear)
		if err != nil {
			return nil, invalid("%w", err)
		}
		if !on {
			return false, nil
		}
		return kept, nil
	}
}
