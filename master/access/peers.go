package access

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/functions"
)

// Peers holds what minions may do: publish to others (option peer), and call runners of the master
// (peer_run). Without a matching entry a minion may do nothing. It is immutable.
//
// The ids of an entry must match as a whole; functions match like those of users (acl_match). The
// rules of an entry may have targets and arguments like those of publisher_acl.
type Peers struct {
	publish, run []peerGrant
	list         *List
}

type peerGrant struct {
	who   target.Pattern
	rules []any
}

// PeerOptions of [NewPeers].
type PeerOptions struct {
	Publish, Run map[string]any
	// List parses rules with this master's options.
	List *List
	Log  *slog.Logger
	// Place is as in [Options].
	Place func(option string) string
}

// NewPeers compiles the options. An invalid rule allows nothing and is logged.
func NewPeers(o PeerOptions) *Peers {
	p := &Peers{list: o.List}
	for _, who := range slices.Sorted(maps.Keys(o.Publish)) {
		list, _ := o.Publish[who].([]any)
		log := logFor(o.Log, o.Place, "peer").With("minions", who)
		checkPattern(who, log)
		p.publish = append(p.publish, peerGrant{target.NewGrant(who), prepare(list, o.List.reader(), log)})
	}
	for _, who := range slices.Sorted(maps.Keys(o.Run)) {
		list, _ := o.Run[who].([]any)
		rules := []any{}
		for _, r := range list {
			rules = append(rules, map[string]any{"@runner": []any{r}}) // as a user's rule has it
		}
		log := logFor(o.Log, o.Place, "peer_run").With("minions", who)
		checkPattern(who, log)
		p.run = append(p.run, peerGrant{target.NewGrant(who), prepare(rules, o.List.reader(), log)})
	}
	return p
}

// Rules returns the rules for publications of a minion. Without any it may not publish.
func (p *Peers) Rules(id string) []any { return rulesFor(p.publish, id) }

// JudgeRunner reports whether a minion may call a runner, and why.
func (p *Peers) JudgeRunner(id string, c functions.Bound) verdict.Verdict {
	rules := rulesFor(p.run, id)
	if len(rules) == 0 {
		return verdict.Verdict{Reason: "no entry of peer_run means this minion"}
	}
	return p.list.JudgeRunner(rules, c)
}

func rulesFor(grants []peerGrant, id string) (out []any) {
	for _, g := range grants {
		if g.who.Match(id) {
			out = append(out, g.rules...)
		}
	}
	return out
}
