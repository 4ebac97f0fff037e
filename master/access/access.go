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

// Options of a [List].
type Options struct {
	// ACL is publisher_acl, Blacklist publisher_acl_blacklist.
	ACL, Blacklist map[string]any
	// Sudo is sudo_acl: publisher_acl applies to users of sudo too.
	Sudo bool
	// Nodegroups define N@ in the targets of rules.
	Nodegroups map[string]any
	// Start matches expressions for functions and arguments at the beginning, like Salt.
	// Otherwise they must match the whole.
	Start bool
	// Open does not check returners and executors, like Salt.
	Open bool
	// Log receives invalid rules.
	Log *slog.Logger
	// Place returns where an option is set, for the log. Optional.
	Place func(option string) string
}

// logFor returns the log for faults in an option.
func logFor(log *slog.Logger, place func(string) string, option string) *slog.Logger {
	log = log.With("option", option)
	if place != nil {
		log = log.With("place", place(option))
	}
	return log
}

// List holds publisher_acl and publisher_acl_blacklist. It is immutable.
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

// New compiles the options. An invalid rule allows nothing and is logged.
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

// checkPattern logs a name that looks like a regular expression and is not valid. It is still
// compared as a glob, which often matches nobody.
func checkPattern(name string, log *slog.Logger) {
	if err := target.NewGrant(name).Fault(); err != nil {
		log.Error("access entry is not a regular expression, comparing it as text and glob", "err", err)
	}
}

// prepare returns rules in the form that is compared with calls and sent to nodes below. It logs
// invalid ones by their number.
func prepare(list []any, p reader, log *slog.Logger) []any {
	list = slices.Clone(list)
	for i, r := range list {
		if _, err := p.rule(r); err != nil {
			log.Error("access rule ignored", "rule", i+1, "err", err)
			continue
		}
		var err error
		if list[i], err = expandRule(r, p.groups); err != nil {
			log.Error("access rule uses a node group, child nodes need the same group", "rule", i+1, "err", err)
		}
	}
	return list
}

// reader returns a reader of rules with this master's options.
func (l *List) reader() reader { return reader{l.groups, l.start} }

// Forbids reports whether publisher_acl_blacklist, which applies to everybody, forbids the calls.
func (l *List) Forbids(user string, calls []Call) bool {
	return l.noUsers.Match(user) || slices.ContainsFunc(calls, func(c Call) bool { return l.noFuns.Match(c.Fun) })
}

// rulesOf returns the rules of all entries that match a user.
func (l *List) rulesOf(user string) []any {
	rules, _ := l.placed(user)
	return rules
}

// placed is rulesOf with the place of each rule.
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

// place formats the place of a rule; i counts from 0, the text from 1.
func place(option, whose string, i int) string {
	return fmt.Sprintf("%s, %s, rule %d", option, whose, i+1)
}

// Sender identifies the sender of a publish load.
type Sender struct {
	// Owner is the owner of the key file whose key it sent, Own the master's own user.
	Owner, Own string
	// Name is the user in the load.
	Name string
	// Extra are the kwargs of the load.
	Extra *wire.Map
}

// Rules returns the rules that apply to a sender; none means that it may do everything. Who can read
// the key of the master's user, or root's, may act for anybody. publisher_acl applies to others, and
// with sudo_acl to users of sudo. A node above that publishes here sends the rules of its own user.
// ok is false for a sender that is not who it claims to be, or matches no entry.
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

// Trusts reports whether no rules of this master apply to a sender, so that it may act for anybody.
// That depends on its key, never on the load.
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

// textsOf converts a text or a list of texts to a list.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		return wire.Texts(v)
	}
	return nil
}
