package mine

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// rules is the option mine_get of a master: which minions may query which functions. nil allows
// everything.
type rules []grant

// grant is one entry: minions, and the functions that they may query.
type grant struct {
	who  target.Pattern
	funs []target.Expr
}

// readRules parses the option. Invalid entries are logged and allow nothing. Patterns match whole
// ids and whole functions; with start they match the beginning of functions, as in Salt's rules for
// users.
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

// allow reports whether a minion may query a function.
func (r rules) allow(id, fun string) bool {
	if r == nil {
		return true
	}
	return slices.ContainsFunc(r, func(g grant) bool {
		return g.who.Match(id) && slices.ContainsFunc(g.funs, func(e target.Expr) bool { return e.Match(target.ID(fun)) })
	})
}
