package access

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/auth"
)

// everybody is the entry of external_auth for users without an own entry. groupMark ends entries of
// groups; optionMark starts an option of the service.
const (
	everybody  = "*"
	groupMark  = "%"
	optionMark = "^"
)

// patternSigns mark a name in the configuration as a pattern.
const patternSigns = `*?[]()|^$+\`

// ExternalOptions of [NewExternal].
type ExternalOptions struct {
	// Auth is external_auth.
	Auth map[string]any
	// Permissive is permissive_acl: everybody has the rules of *.
	Permissive bool
	// KeepACL is keep_acl_in_token: a token keeps the rules from when it was created.
	KeepACL bool
	// Nodegroups and Start are as in [Options].
	Nodegroups map[string]any
	Start      bool
	Log        *slog.Logger
	// Place is as in [Options].
	Place func(option string) string
}

// External holds the rules of external_auth for users of login services. It is immutable.
type External struct {
	services         map[string]service
	permissive, keep bool
	reader           reader
	log              *slog.Logger
}

// service is the section of one login service, its entries sorted by name.
type service struct {
	users, groups []entry
	all           []any
}

// entry is one line of a section. A pattern matches all users that fit, as in publisher_acl; any other
// name matches that user only.
type entry struct {
	name    string
	pattern *target.Pattern // nil: the name alone
	rules   []any
}

// NewExternal compiles external_auth. An invalid rule allows nothing; it is logged with service, user
// and place.
func NewExternal(o ExternalOptions) *External {
	p := reader{o.Nodegroups, o.Start}
	e := &External{services: map[string]service{}, permissive: o.Permissive, keep: o.KeepACL, reader: p, log: o.Log}
	base := logFor(o.Log, o.Place, "external_auth")
	for _, eauth := range slices.Sorted(maps.Keys(o.Auth)) {
		var s service
		if !isMapping(o.Auth[eauth]) {
			if o.Auth[eauth] != nil {
				base.Error("external_auth allows nobody of a login service: its section is not a mapping of users to rules", "eauth", eauth)
			}
			e.services[eauth] = s
			continue
		}
		eachPair(o.Auth[eauth], func(name string, val any) {
			if strings.HasPrefix(name, optionMark) {
				return
			}
			log := base.With("eauth", eauth, "user", name)
			list, ok := val.([]any)
			if !ok {
				log.Error("access entry ignored, not a list of rules")
			}
			list = prepare(list, p, log)
			switch group, isGroup := strings.CutSuffix(name, groupMark); {
			case isGroup:
				s.groups = append(s.groups, entry{name: strings.TrimRight(group, groupMark), rules: list})
			case name == everybody:
				s.all = list
			default:
				n := entry{name: name, rules: list}
				if strings.ContainsAny(name, patternSigns) {
					checkPattern(name, log)
					grant := target.NewGrant(name)
					n.pattern = &grant
				}
				s.users = append(s.users, n)
			}
		})
		slices.SortFunc(s.users, func(a, b entry) int { return strings.Compare(a.name, b.name) })
		e.services[eauth] = s
	}
	return e
}

// means reports whether an entry matches a user.
func (n *entry) means(user string) bool {
	return n.name == user || n.pattern != nil && n.pattern.Match(user)
}

// Has reports whether external_auth has a login service.
func (e *External) Has(eauth string) bool {
	_, ok := e.services[eauth]
	return ok
}

// Rules returns the rules for a user of a login service: those of all entries that match the user, of
// the groups, and of everybody (*) if no entry has the user's name, or always with permissive_acl. A
// group is not a name. It returns nil for an unknown user, who may do nothing.
func (e *External) Rules(eauth, name string, groups []string) []any {
	rules, _ := e.placed(eauth, name, groups, false)
	return rules
}

// For returns the rules of a user whom a login service has identified: those of [External.Rules],
// and those that the service gives. With the latter the user counts as one with an own entry.
func (e *External) For(eauth string, id auth.Identity) []any {
	rules, _ := e.placed(eauth, id.Name, id.Groups, len(id.Rules) > 0)
	if len(id.Rules) == 0 {
		return rules
	}
	return append(rules, prepare(id.Rules, e.reader, e.log.With("eauth", eauth, "user", id.Name))...)
}

// TokenRules returns the rules of a token: those stored in it, with keep_acl_in_token, or else the
// current ones of its user.
func (e *External) TokenRules(kept []any, eauth, name string, groups []string) []any {
	if e.keep && len(kept) > 0 && e.Has(eauth) {
		return kept
	}
	return e.Rules(eauth, name, groups)
}

// placed is Rules with the place of each rule. known says that the user counts as one with an own
// entry.
func (e *External) placed(eauth, name string, groups []string, known bool) (rules []any, places []string) {
	s := e.services[eauth]
	add := func(whose string, list []any) {
		for i, r := range list {
			rules, places = append(rules, r), append(places, place("external_auth "+eauth, whose, i))
		}
	}
	if name == "" {
		return nil, nil
	}
	for _, n := range s.users {
		if n.means(name) {
			known = true
			add(n.name, n.rules)
		}
	}
	for _, n := range s.groups {
		if slices.Contains(groups, n.name) {
			add(n.name+groupMark, n.rules)
		}
	}
	if !known || e.permissive {
		add(everybody, s.all)
	}
	return rules, places
}
