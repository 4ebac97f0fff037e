package access

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// Options of a [List], as the configuration holds them.
type Options struct {
	// ACL is publisher_acl, Blacklist publisher_acl_blacklist.
	ACL, Blacklist map[string]any
	// Sudo is sudo_acl: users of sudo are held to publisher_acl as well.
	Sudo bool
	// Nodegroups are what N@ means in the targets of rules.
	Nodegroups map[string]any
	// Log is told of rules that cannot be understood.
	Log *slog.Logger
}

// List is who may publish what at one master. It never changes.
type List struct {
	noUsers, noFuns target.Patterns
	grants          []grant
	sudo            bool
	groups          map[string]any
}

// grant is one entry of publisher_acl.
type grant struct {
	who   target.Pattern
	rules []any // they travel to the nodes below
}

// New reads the options. A rule that cannot be understood allows nothing; the log
// names it.
func New(o Options) *List {
	l := &List{
		noUsers: target.NewPatterns(textsOf(o.Blacklist["users"])), noFuns: target.NewPatterns(textsOf(o.Blacklist["modules"])),
		sudo: o.Sudo, groups: o.Nodegroups,
	}
	for _, who := range slices.Sorted(maps.Keys(o.ACL)) {
		list, _ := o.ACL[who].([]any)
		list = slices.Clone(list)
		for i, r := range list {
			if err := checkRule(r, l.groups); err != nil {
				o.Log.Error("A rule of publisher_acl allows nothing: it cannot be understood", "user", who, "rule", i+1, "err", err)
				continue
			}
			var err error
			if list[i], err = expandRule(r, l.groups); err != nil {
				o.Log.Error("Nodes below understand a rule of publisher_acl only with node groups of their own", "user", who, "rule", i+1, "err", err)
			}
		}
		l.grants = append(l.grants, grant{target.NewGrant(who), list})
	}
	return l
}

// Forbids applies publisher_acl_blacklist, which binds everybody.
func (l *List) Forbids(user string, calls []Call) bool {
	return l.noUsers.Match(user) || slices.ContainsFunc(calls, func(c Call) bool { return l.noFuns.Match(c.Fun) })
}

// rulesOf joins the rules of all entries that mean a user.
func (l *List) rulesOf(user string) []any {
	var out []any
	for _, g := range l.grants {
		if g.who.Match(user) {
			out = append(out, g.rules...)
		}
	}
	return out
}

// Sender is who sends a publish load.
type Sender struct {
	// Owner is whose key file it could read, Own the master's own user.
	Owner, Own string
	// Name is the user that the load names.
	Name string
	// Extra are the kwargs of the load.
	Extra *wire.Map
}

// Rules gives the rules that a sender is held to; none means that it may do
// everything. Who can read the key of the master's own user, or root's, may act
// in anybody's name. Others are held to publisher_acl, and with sudo_acl so are
// users of sudo. A node above that publishes here passes on what its own user is
// held to. ok is false for a sender that is not who it says, or that no entry
// means.
func (l *List) Rules(s Sender) (rules []any, ok bool) {
	name, sudo := strings.CutPrefix(s.Name, "sudo_")
	all := s.Owner == s.Own || s.Owner == "root"
	switch {
	case all && s.Owner == s.Own && s.Extra.Has("auth_list"):
		return s.Extra.List("auth_list"), true
	case all && !(sudo && l.sudo && len(l.grants) > 0):
		return nil, true
	case !all && s.Owner != s.Name:
		return nil, false
	}
	rules = l.rulesOf(name)
	return rules, len(rules) > 0
}

// Trusts tells whether a sender is held to no rules of this master: it may act in
// anybody's name, and is believed if it says in whose. That is a matter of the key,
// never of what the load says.
func (l *List) Trusts(s Sender) bool {
	_, sudo := strings.CutPrefix(s.Name, "sudo_")
	switch {
	case s.Owner != s.Own && s.Owner != "root":
		return false
	case s.Owner == s.Own && s.Extra.Has("auth_list"):
		return true
	}
	return !(sudo && l.sudo && len(l.grants) > 0)
}

// Permits tells whether rules permit the calls of a job. covers tells whether a
// target certainly means all minions here that the job is for: minions below are
// the nodes' to judge. Whoever may publish may also ask whether a job still runs.
func (l *List) Permits(rules []any, calls []Call, covers func(target.Expr) bool) bool {
	if len(rules) == 0 {
		return true
	}
	parsed := parseRules(rules, l.groups)
	return !slices.ContainsFunc(calls, func(c Call) bool {
		return c.Fun != "saltutil.find_job" && !parsed.permit(c, covers)
	})
}

// textsOf reads a text or a list of texts.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		return wire.Texts(v)
	}
	return nil
}
