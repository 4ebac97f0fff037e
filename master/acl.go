package master

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

var errNotAllowed = refusal{"AuthorizationError", "Authorization error occurred."}

// access decides who may publish what: publisher_acl, publisher_acl_blacklist and
// sudo_acl (Salt wire reference §10.1, §12). It never changes.
type access struct {
	noUsers, noFuns []pattern
	grants          []grant
	sudo            bool
	groups          map[string]any // nodegroups, for the targets of rules
}

// grant is one entry of publisher_acl.
type grant struct {
	who   pattern
	rules []any // as configured: they travel to the nodes below
}

// newAccess reads the options. A rule that cannot be understood allows nothing;
// the log names it.
func newAccess(c *config.Master, log *slog.Logger) *access {
	a := &access{
		noUsers: patterns(textsOf(c.PublisherAclBlacklist["users"])), noFuns: patterns(textsOf(c.PublisherAclBlacklist["modules"])),
		sudo: c.SudoAcl, groups: c.Nodegroups,
	}
	for _, who := range sortedKeys(c.PublisherAcl) {
		list, _ := c.PublisherAcl[who].([]any)
		a.grants = append(a.grants, grant{newGrant(who), list})
		for i, r := range list {
			if err := checkRule(r, a.groups); err != nil {
				log.Error("A rule of publisher_acl allows nothing: it cannot be understood", "user", who, "rule", i+1, "err", err)
			}
		}
	}
	return a
}

// forbidden applies publisher_acl_blacklist, which binds everybody.
func (a *access) forbidden(user string, funs []string) bool {
	return anyOf(a.noUsers, user) || slices.ContainsFunc(funs, func(fun string) bool { return anyOf(a.noFuns, fun) })
}

// rulesOf joins the rules of all entries that mean a user.
func (a *access) rulesOf(user string) []any {
	var out []any
	for _, g := range a.grants {
		if g.who.match(user) {
			out = append(out, g.rules...)
		}
	}
	return out
}

// heldTo authenticates the sender of a publish load by the key file it could
// read, and gives the rules it is held to; none means that it may do everything.
// Who can read the key of the master's own user, or root's, may act in anybody's
// name. Others are held to publisher_acl, and with sudo_acl so are users of sudo.
// A node above that publishes here passes on what its own user is held to.
func (m *Master) heldTo(p wire.PublishLoad, extra *wire.Map) ([]any, error) {
	owner, ok := m.users.User(p.Key)
	if !ok {
		return nil, errNoAccess
	}
	name, sudo := strings.CutPrefix(p.User, "sudo_")
	all := owner == m.user() || owner == "root"
	switch {
	case all && owner == m.user() && extra.Has("auth_list"):
		return extra.List("auth_list"), nil
	case all && !(sudo && m.access.sudo && len(m.access.grants) > 0):
		return nil, nil
	case !all && owner != p.User:
		return nil, errNoAccess
	}
	rules := m.access.rulesOf(name)
	if len(rules) == 0 {
		return nil, errNoAccess
	}
	return rules, nil
}

// allowed tells whether rules permit a job: each of its functions on all of the
// minions here that it means. Minions below are the nodes' to judge. Whoever may
// publish may also ask whether a job still runs.
func (m *Master) allowed(rules []any, j *job, calls []call) bool {
	if len(rules) == 0 {
		return true
	}
	parsed := parseRules(rules, m.access.groups)
	return !slices.ContainsFunc(calls, func(c call) bool {
		return c.fun != "saltutil.find_job" && !parsed.permit(c, func(to target.Expr) bool { return m.covers(to, j.minions) })
	})
}

// covers tells whether a target certainly means all of these minions.
func (m *Master) covers(to target.Expr, minions []string) bool {
	return !slices.ContainsFunc(minions, func(id string) bool { return to.Certain(subject{id, m.data}) != target.Yes })
}

// textsOf reads a text or a list of texts.
func textsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		return texts(v)
	}
	return nil
}
