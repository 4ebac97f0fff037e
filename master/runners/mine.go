package runners

import (
	"context"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// Miner is an [Env] of a master that has a mine.
type Miner interface {
	// Mine returns mine entries by name and minion, regardless of who may read them. away maps each
	// node that did not answer to the reason.
	Mine(ctx context.Context, tgt any, tgtType string, names []string) (found map[string]map[string]any, away map[string]string, err error)
}

func init() {
	Register(
		Function{Name: "mine.get", Args: []string{"tgt", "fun", "tgt_type="}, Lists: []string{"fun"}, Private: true, Run: mineGet, Doc: `
The mine entries of minions, including those with limited readers. The entries are not on
the event bus.

tgt, tgt_type : glob
    The minions, of the whole tree from this master down.
fun
    The name of an entry, several separated by commas, or a list. The result is by minion
    for one name, and by name and minion for several.

    salt-run mine.get '*' network.interfaces
`},
		Function{Name: "mine.update", Args: []string{"tgt", "tgt_type=", "clear=", "mine_functions="}, Run: mineUpdate, Doc: `
Make minions update their mine now, by their mine_functions.

tgt, tgt_type : glob
    The minions, of the whole tree.
clear : False
    Remove previous entries.
mine_functions
    Only these, as a mapping or a list.

    salt-run mine.update '*'
`},
	)
}

func mineGet(ctx context.Context, c *Call) (any, error) {
	m, ok := c.Env.(Miner)
	if !ok {
		return nil, invalid("%s: this master keeps no mine", c.Fun())
	}
	var k Known
	if err := k.read(c); err != nil {
		return nil, err
	}
	names, err := c.Patterns("fun")
	if err != nil || len(names) == 0 {
		return nil, invalid("%s: fun is neither a name nor a list of names", c.Fun())
	}
	fun, _ := c.Arg("fun")
	_, several := fun.([]any)
	several = several || len(names) > 1
	found, away, err := m.Mine(ctx, k.Tgt, k.TgtType, names)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		byID := wire.NewMap()
		for _, id := range sortedKeys(found[name]) {
			byID.Set(id, found[name][id])
		}
		if !several {
			return byID, notSaid(away)
		}
		out.Set(name, byID)
	}
	return out, notSaid(away)
}

func mineUpdate(ctx context.Context, c *Call) (any, error) {
	v, _ := c.Given("tgt")
	clear, err := c.Flag("clear", false)
	if err != nil {
		return nil, err
	}
	funs, _ := c.Given("mine_functions")
	q := Question{Tgt: v, TgtType: "glob", Fun: "mine.update", Long: true, Kwargs: wire.NewMap("clear", clear, "mine_functions", funs)}
	if t := c.Text("tgt_type"); t != "" {
		q.TgtType = t
	}
	a, err := query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		out.Set(id, a.Returned[id].Value)
	}
	return out, nil
}
