package runners

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

func init() {
	Register(Function{Name: "match.compound_matches", Args: []string{"expr", "minion_id"}, Run: compoundMatches, Doc: `
Whether a compound target matches a minion, by the data that the masters of the tree cache.
Returns a mapping with res: the id of the minion, or False. Pillar values match literally
only, as minions may be allowed to call this (peer_run). An invalid target, an unknown minion
and one behind a node that does not answer are not matched.

expr
    The target, as text or as a list of words.
minion_id
    The id of the minion.

    salt-run match.compound_matches 'I@foo:bar and G@os:Deb* and not db*' web1
`})
}

func compoundMatches(ctx context.Context, c *Call) (any, error) {
	id := c.Text("minion_id")
	no := wire.NewMap("res", false)
	k, err := keep(c)
	if err != nil {
		return nil, err
	}
	o, err := options(c)
	if err != nil {
		return nil, err
	}
	if on, ok := o["minion_data_cache"].(bool); ok && !on {
		return no, nil // as in Salt: without the data nothing is certain
	}
	expr, _ := c.Arg("expr")
	words, ok := expr.([]any)
	if text, is := expr.(string); is {
		words, ok = wire.AnyList(pyfmt.Fields(text)), true
	}
	const kind = "compound_pillar_exact"
	if !ok {
		return no, nil
	}
	if _, err := c.Env.Target(words, kind); err != nil { // alone: its parentheses must not close ours
		return no, nil //nolint:nilerr // as in Salt
	}
	words = append(append([]any{"L@" + id, "and", "("}, words...), ")")
	minions, _, err := k.Known(ctx, Known{Tgt: words, TgtType: kind})
	if err != nil || minions[id] == nil {
		return no, nil //nolint:nilerr // as in Salt
	}
	return wire.NewMap("res", id), nil
}
