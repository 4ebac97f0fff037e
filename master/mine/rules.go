package mine

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// rules are the option mine_get of a master: who may ask for which functions. nil: all for
// all.
type rules []grant

// grant is one entry: minions, and the functions that they may ask for.
type grant struct {
	who  target.Pattern
	funs []target.Expr
}

// readRules reads the option. What cannot be understood allows nothing, and is told. Ids fit
// a rule whole; functions whole, or with start by their beginning, as the rules of users.
func readRules(option map[string]any, start bool, log *slog.Logger) rules {
	if option == nil {
		return nil
	}
	out := rules{}
	for _, who := range slices.Sorted(maps.Keys(option)) {
		g := grant{who: target.NewGrant(who)}
		list, _ := option[who].([]any)
		texts := wire.Texts(list)
		if len(list) == 0 || len(texts) < len(list) {
			log.Error("mine_get rule ignored: not a list of functions", "option", "mine_get", "minions", who)
		}
		for _, text := range texts {
			e := target.Expression(text)
			//mutant:mine-rules-of-the-master
			if e != nil && !start {
				e = target.WholeExpression(text)
			}
			if e == nil {
				log.Error("mine_get rule ignored: invalid regular expression", "option", "mine_get", "minions", who, "fun", text)
				continue
			}
			g.funs = append(g.funs, e)
		}
		out = append(out, g)
	}
	return out
}

// allow tells whether a minion may ask for a function.
func (r rules) allow(id, fun string) bool {
	if r == nil {
		return true
	}
	return slices.ContainsFunc(r, func(g grant) bool {
		return g.who.Match(id) && slices.ContainsFunc(g.funs, func(e target.Expr) bool { return e.Match(target.ID(fun)) })
	})
}
