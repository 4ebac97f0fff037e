package runnerenv

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/runners"
)

var (
	_ runners.Keeper     = Env{}
	_ runners.Banker     = Env{}
	_ runners.Firer      = Env{}
	_ runners.Listener   = Env{}
	_ runners.Configured = Env{}
	_ runners.Tokens     = Env{}
	_ runners.Master     = Env{}
)

// Known returns minion data cached by the masters of the tree. Node groups and places are resolved
// here.
func (e Env) Known(ctx context.Context, k runners.Known) (map[string]*wire.Map, map[string]string, error) {
	tgt, kind, err := target.ExpandTarget(k.Tgt, k.TgtType, e.p.Config.Nodegroups)
	if err == nil {
		tgt, err = target.ExpandPlaces(tgt, kind, e.p.Policy.Where)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("target %v: %w", k.Tgt, err)
	}
	d, err := e.p.Below.Data(ctx, below.DataQuestion{Tgt: tgt, TgtType: kind, Grains: k.Grains, Pillar: k.Pillar, Mine: k.Mine, Resources: k.Resources, Names: k.Names, Clear: k.Clear})
	return d.Minions, d.Away, err
}

// Bank stores values in a directory of its own, apart from the master's data.
func (e Env) Bank() runners.Bank {
	return e.p.Bank
}

// Options returns the options without secrets.
func (e Env) Options() map[string]any { return e.p.Config.Shown() }

// AtWork returns the runner calls in progress.
func (e Env) AtWork() []runners.AtWork { return e.p.Calls.AtWork() }
