package access

import (
	"fmt"
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
	// Start is Salt's way to read the expressions of rules for functions and arguments:
	// they have to fit the beginning alone. Without it they have to fit the whole.
	Start bool
	// Open is Salt's way to treat returners and executors: rules say nothing of them.
	Open bool
	// Log gets the rules that cannot be understood.
	Log *slog.Logger
	// Place says where an option stands, for the log; nil: unknown.
	Place func(option string) string
}

// logFor is the log of faults in an option.
func logFor(log *slog.Logger, place func(string) string, option string) *slog.Logger {
	log = log.With("option", option)
	if place != nil {
		log = log.With("place", place(option))
	}
	return log
}

// List is who may publish what at one master. It never changes.
type List struct {
	noUsers, noFuns target.Patterns
	grants          []grant
	sudo            bool
	groups          map[string]any
	start, open     bool
}

// grant is one entry of publisher_acl.
type grant struct {
	name  string
	who   target.Pattern
	rules []any // they travel to the nodes below
}

// New reads the options. A rule that cannot be understood allows nothing; the log
// names it.
func New(o Options) *List {
	l := &List{
		noUsers: target.NewPatterns(textsOf(o.Blacklist["users"])), noFuns: target.NewPatterns(textsOf(o.Blacklist["modules"])),
		sudo: o.Sudo, groups: o.Nodegroups, start: o.Start, open: o.Open,
	}
	for _, who := range slices.Sorted(maps.Keys(o.ACL)) {
		list, _ := o.ACL[who].([]any)
		log := logFor(o.Log, o.Place, "publisher_acl").With("user", who)
		checkPattern(who, log)
		list = prepare(list, l.reader(), log)
		l.grants = append(l.grants, grant{who, target.NewGrant(who), list})
	}
	return l
}

// checkPattern logs a name that was meant as a regular expression and is none. It still means
// what it means as a glob, often nobody.
func checkPattern(name string, log *slog.Logger) {
	if err := target.NewGrant(name).Fault(); err != nil {
		log.Error("access entry: name is not a regular expression and is compared as text and glob only", "err", err)
	}
}

// prepare gives rules as they are held against calls and travel to the nodes below. The
// log, which says whose they are, names by their place those that cannot be understood.
func prepare(list []any, p reader, log *slog.Logger) []any {
	list = slices.Clone(list)
	for i, r := range list {
		if _, err := p.rule(r); err != nil {
			log.Error("access rule ignored: invalid", "rule", i+1, "err", err)
			continue
		}
		var err error
		if list[i], err = expandRule(r, p.groups); err != nil {
			log.Error("access rule uses a node group, child nodes need the same group", "rule", i+1, "err", err)
		}
	}
	return list
}

// reader reads rules as this master means them.
func (l *List) reader() reader { return reader{l.groups, l.start} }

// Forbids applies publisher_acl_blacklist, which binds everybody.
func (l *List) Forbids(user string, calls []Call) bool {
	return l.noUsers.Match(user) || slices.ContainsFunc(calls, func(c Call) bool { return l.noFuns.Match(c.Fun) })
}

// rulesOf joins the rules of all entries that mean a user.
func (l *List) rulesOf(user string) []any {
	rules, _ := l.placed(user)
	return rules
}

// placed is rulesOf with the place of each.
func (l *List) placed(user string) (rules []any, places []string) {
	for _, g := range l.grants {
		if !g.who.Match(user) {
			continue
		}
		for i, r := range g.rules {
			rules, places = append(rules, r), append(places, place("publisher_acl", g.name, i))
		}
	}
	return rules, places
}

// place names where a rule stands, counted from 1.
func place(option, whose string, i int) string {
	return fmt.Sprintf("%s, %s, rule %d", option, whose, i+1)
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
