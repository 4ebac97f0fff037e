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

// Known selects minion data held by the masters of the tree: grains, pillar, resources and mine.
// With none of them, only minion ids are returned. Clear deletes the selected data, but no resources.
type Known struct {
	Tgt                                    any
	TgtType                                string
	Grains, Pillar, Mine, Resources, Clear bool
	// Names are the mine entries to return; nil means all.
	Names []string
}

// Keeper is an [Env] of a master that caches minion data.
type Keeper interface {
	// Known returns grains, pillar, resources and mine by minion, as maps with these keys. away maps each node
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
The grains of minions from their last pillar request. Minions without stored grains are
left out.
` + cacheTargets + `
    salt-run cache.grains '*'
`},
		Function{Name: "cache.pillar", Args: []string{"tgt=", "tgt_type="}, Private: true, Run: known("pillar"), Doc: `
The pillar of minions as last served to them. The pillar is not on the event bus.
` + cacheTargets + `
    salt-run cache.pillar 'web*'
`},
		Function{Name: "cache.mine", Args: []string{"tgt=", "tgt_type="}, Private: true, Run: known("mine"), Doc: `
The mine data of minions as they sent it, with the minions that may read an entry. The data
is not on the event bus.
` + cacheTargets + `
    salt-run cache.mine 'web*'
`},
		Function{Name: "cache.clear_mine", Args: []string{"tgt=", "tgt_type="}, Run: forget("mine"), Doc: `
Remove the mine data of minions, until their next update (mine.update).
` + cacheTargets + `
    salt-run cache.clear_mine 'web*'
`},
		Function{Name: "cache.clear_mine_func", Args: []string{"tgt=", "tgt_type=", "clear_mine_func_flag="}, Run: forget("mine"), Doc: `
Remove one mine entry of minions, until their next update.
` + cacheTargets + `
clear_mine_func_flag
    The name of the entry.

    salt-run cache.clear_mine_func 'web*' clear_mine_func_flag=network.interfaces
`},
		Function{Name: "cache.clear_grains", Args: []string{"tgt=", "tgt_type="}, Run: forget("grains"), Doc: `
Remove the stored grains of minions. Until their next pillar request, targets by grains do
not match them.
` + cacheTargets + `
    salt-run cache.clear_grains 'web*'
`},
		Function{Name: "cache.clear_pillar", Args: []string{"tgt=", "tgt_type="}, Run: forget("pillar"), Doc: `
Remove the stored pillar of minions. Until their next pillar request, targets by pillar do
not match them.
` + cacheTargets + `
    salt-run cache.clear_pillar 'web*'
`},
		Function{Name: "cache.clear_all", Args: []string{"tgt=", "tgt_type="}, Run: forget("grains", "pillar", "mine"), Doc: `
Remove the stored grains, pillar and mine of minions.
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
			return false, invalid("%s needs tgt: the minions whose data to remove ('*' for all)", c.Fun())
		}
		q := Known{Grains: slices.Contains(parts, "grains"), Pillar: slices.Contains(parts, "pillar"), Mine: slices.Contains(parts, "mine"), Clear: true}
		if c.Fun() == "cache.clear_mine_func" {
			name := c.Text("clear_mine_func_flag")
			if name == "" {
				return false, invalid("%s needs clear_mine_func_flag: the name of the entry to remove", c.Fun())
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
