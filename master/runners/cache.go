package runners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// Known selects minion data held by the masters of the tree: grains, pillar and mine. With none of
// them, only minion ids are returned. Clear deletes the selected data.
type Known struct {
	Tgt                         any
	TgtType                     string
	Grains, Pillar, Mine, Clear bool
	// Names are the mine entries to return; nil means all.
	Names []string
}

// Keeper is an [Env] of a master that caches minion data.
type Keeper interface {
	// Known returns grains, pillar and mine by minion, as maps with these keys. away maps each node
	// that did not answer to the reason.
	Known(ctx context.Context, k Known) (minions map[string]*wire.Map, away map[string]string, err error)
}

const cacheTargets = `
tgt, tgt_type : glob
    The minions, of the whole tree.
`

func init() {
	Register(
		Function{Name: "cache.grains", Args: []string{"tgt", "tgt_type="}, Run: known("grains"), Doc: `
The grains of minions as they told them last when they asked for their pillar. Minions of
which none are kept are left out.
` + cacheTargets + `
    salt-run cache.grains '*'
`},
		Function{Name: "cache.pillar", Args: []string{"tgt=", "tgt_type="}, Private: true, Run: known("pillar"), Doc: `
The pillar of minions as it was served to them last. The event bus is not shown it.
` + cacheTargets + `
    salt-run cache.pillar 'web*'
`},
		Function{Name: "cache.mine", Args: []string{"tgt=", "tgt_type="}, Private: true, Run: known("mine"), Doc: `
What minions gave to the mine, as they gave it: what only some minions may see is shown with
who they are. The event bus is not shown it.
` + cacheTargets + `
    salt-run cache.mine 'web*'
`},
		Function{Name: "cache.clear_mine", Args: []string{"tgt=", "tgt_type="}, Run: forget("mine"), Doc: `
Forget what minions gave to the mine, until they give it again (mine.update).
` + cacheTargets + `
    salt-run cache.clear_mine 'web*'
`},
		Function{Name: "cache.clear_mine_func", Args: []string{"tgt=", "tgt_type=", "clear_mine_func_flag="}, Run: forget("mine"), Doc: `
Forget one entry of the mine of minions, until they give it again.
` + cacheTargets + `
clear_mine_func_flag
    The name of the entry.

    salt-run cache.clear_mine_func 'web*' clear_mine_func_flag=network.interfaces
`},
		Function{Name: "cache.clear_grains", Args: []string{"tgt=", "tgt_type="}, Run: forget("grains"), Doc: `
Forget the grains of minions, until they ask for their pillar again. Targets by grains do
not find them before.
` + cacheTargets + `
    salt-run cache.clear_grains 'web*'
`},
		Function{Name: "cache.clear_pillar", Args: []string{"tgt=", "tgt_type="}, Run: forget("pillar"), Doc: `
Forget the pillar of minions, until they ask for it again. Targets by pillar do not find
them before.
` + cacheTargets + `
    salt-run cache.clear_pillar 'web*'
`},
		Function{Name: "cache.clear_all", Args: []string{"tgt=", "tgt_type="}, Run: forget("grains", "pillar", "mine"), Doc: `
Forget grains, pillar and mine of minions, which is all that is kept of them.
` + cacheTargets + `
    salt-run cache.clear_all 'web*'
`},
	)
}

// keep returns the Keeper of a call, or an error if its master has none.
func keep(c *Call) (Keeper, error) {
	k, ok := c.Env.(Keeper)
	if !ok {
		return nil, errors.New(c.Fun() + ": this master keeps no data of minions")
	}
	return k, nil
}

// read reads the target of a call.
func (k *Known) read(c *Call) error {
	k.Tgt, k.TgtType = "*", "glob"
	if v, ok := c.Given("tgt"); ok {
		k.Tgt = v
	}
	if t := c.Text("tgt_type"); t != "" {
		k.TgtType = t
	}
	if _, err := c.Env.Target(k.Tgt, k.TgtType); err != nil {
		return invalid("%w", err)
	}
	return nil
}

// known returns a runner function that shows one part of the cached data.
func known(part string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		k, err := keep(c)
		if err != nil {
			return nil, err
		}
		q := Known{Grains: part == "grains", Pillar: part == "pillar", Mine: part == "mine"}
		if err := q.read(c); err != nil {
			return nil, err
		}
		minions, away, err := k.Known(ctx, q)
		if err != nil {
			return nil, err
		}
		out := wire.NewMap()
		for _, id := range slices.Sorted(maps.Keys(minions)) {
			if v, ok := minions[id].Get(part); ok {
				out.Set(id, v)
			}
		}
		return out, notSaid(away)
	}
}

// forget returns a runner function that clears parts of the cached data.
func forget(parts ...string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		k, err := keep(c)
		if err != nil {
			return nil, err
		}
		if _, ok := c.Given("tgt"); !ok {
			return false, invalid("%s needs tgt: whose data are to be forgotten ('*' for all)", c.Fun())
		}
		q := Known{Grains: slices.Contains(parts, "grains"), Pillar: slices.Contains(parts, "pillar"), Mine: slices.Contains(parts, "mine"), Clear: true}
		if c.Fun() == "cache.clear_mine_func" {
			name := c.Text("clear_mine_func_flag")
			if name == "" {
				return false, invalid("%s needs clear_mine_func_flag: the name of the entry to be forgotten", c.Fun())
			}
			q.Names = []string{name}
		}
		if err := q.read(c); err != nil {
			return nil, err
		}
		_, away, err := k.Known(ctx, q)
		if err != nil {
			return nil, err
		}
		return true, notSaid(away)
	}
}

// notSaid returns the error for an answer that lacks some nodes, or nil if away is empty.
func notSaid(away map[string]string) error {
	if len(away) == 0 {
		return nil
	}
	said := []string{}
	for _, path := range slices.Sorted(maps.Keys(away)) {
		if len(said) == missedNamed {
			said = append(said, fmt.Sprintf("%d more", len(away)-len(said)))
			break
		}
		said = append(said, path+" ["+away[path]+"]")
	}
	return errors.New("minions behind these nodes are not in the answer: " + strings.Join(said, ", "))
}

// sortedKeys returns the keys of m in ascending order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
