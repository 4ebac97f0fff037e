package access

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/functions"
)

// Peers are what minions may have done: by others (option peer), and by the master, whose
// runners they call (peer_run). Without an entry that means a minion it may do nothing. It
// never changes.
//
// The ids of an entry fit it whole; the functions as those of users do (acl_match). The
// rules of an entry may be as those of publisher_acl: with targets, and with arguments.
type Peers struct {
	publish, run []peerGrant
	list         *List
}

type peerGrant struct {
	who   target.Pattern
	rules []any
}

// PeerOptions of [NewPeers], as the configuration holds them.
type PeerOptions struct {
	Publish, Run map[string]any
	// List reads rules as this master means them.
	List *List
	Log  *slog.Logger
	// Place is as in [Options].
	Place func(option string) string
}

// NewPeers reads the options. A rule that cannot be understood allows nothing; the log
// names it.
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

// Rules are those that a minion is held to when it has others do something. None: it may
// not.
func (p *Peers) Rules(id string) []any { return rulesFor(p.publish, id) }

// JudgeRunner tells whether a minion may call a runner, and why.
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
