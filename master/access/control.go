package access

import (
	"cmp"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// Control decides what local users, users of login services, and minions may do at a master.
type Control struct {
	*List
	// Own is the login the master runs as, the user of its own jobs.
	Own string
	// Users are generated at each start.
	Users Users
	// External holds the rules for users of login services.
	External *External
	// Peers holds the rules for minions.
	Peers *Peers

	subject func(id string) target.Subject
}

// Open compiles the options and writes the keys of users. subject returns the known data of a minion.
func Open(c *config.Master, subject func(id string) target.Subject, log *slog.Logger) (*Control, error) {
	users, err := WriteUserKeys(UserKeyOptions{
		Cachedir: c.Cachedir, User: c.User, ACL: slices.Sorted(maps.Keys(c.PublisherAcl)), ClientACLVerify: c.ClientAclVerify, Log: log,
	})
	if err != nil {
		return nil, err
	}
	start := c.AclMatch == config.AclMatchStart
	place := func(option string) string { return c.Place(option).String() }
	list := New(Options{
		Place: place,
		ACL:   c.PublisherAcl, Blacklist: c.PublisherAclBlacklist, Sudo: c.SudoAcl, Nodegroups: c.Nodegroups, Start: start, Log: log,
		Open: c.AclReturners == config.AclReturnersOpen,
	})
	return &Control{
		List: list, Peers: NewPeers(PeerOptions{Place: place, Publish: c.Peer, Run: c.PeerRun, List: list, Log: log}),
		External: NewExternal(ExternalOptions{
			Place: place,
			Auth:  c.ExternalAuth, Permissive: c.PermissiveAcl, KeepACL: c.KeepAclInToken, Nodegroups: c.Nodegroups, Start: start, Log: log,
		}),
		Own: cmp.Or(c.User, os.Getenv("USER"), "root"), Users: users, subject: subject,
	}, nil
}

// User returns the user of a key.
func (c *Control) User(key string) (name string, ok bool) { return c.Users.User(key) }

// Permit is what the sender of a load may do.
type Permit struct {
	// Rules are the rules for the sender; none means everything.
	Rules []any
	// Trusted is the result of [List.Trusts].
	Trusted bool

	calls    []Call
	settings Settings
	control  *Control
}

// By is the sender of a request: the owner of a key, or a user of a login service.
type By struct {
	Owner string
	Login *server.Login
	From  string // the address
}

// ByOf returns the sender of a request.
func ByOf(r *server.Request) By {
	b := By{Owner: r.User, Login: r.Login}
	if b.From = r.From; b.From == "" && r.Peer != nil {
		b.From = r.Peer.Source().String()
	}
	return b
}

// Name returns the user who has logged in, or else the user in the load.
func (b By) Name(named string) string {
	if b.Login != nil {
		return b.Login.Name
	}
	return named
}

// Asked returns an audit record; named is the user in the load.
func (b By) Asked(kind, named string) Asked {
	q := Asked{Kind: kind, Door: "key", User: b.Name(named), From: b.From}
	if b.Login != nil {
		q.Door, q.Eauth = b.Login.By, b.Login.Eauth
	}
	return q
}

// Admit checks the sender of a load: first the blacklist, then whether any rules apply to it. A
// refusal gives no details. [Permit.Covers] checks the calls once the minions are known.
func (c *Control) Admit(p wire.PublishLoad, by By, calls []Call) (Permit, error) {
	if by.Login != nil {
		return c.AdmitUser(p, by.Login.Name, by.Login.Rules, calls)
	}
	if c.Forbids(p.User, calls) {
		return Permit{}, server.ErrNotAllowed
	}
	extra, err := p.DecodedKwargs()
	if err != nil {
		return Permit{}, err
	}
	sender := Sender{Owner: by.Owner, Own: c.Own, Name: p.User, Extra: extra}
	rules, ok := c.Rules(sender)
	if !ok {
		return Permit{}, server.ErrNoAccess
	}
	settings, err := SettingsOf(p)
	return Permit{Rules: rules, Trusted: c.Trusts(sender), calls: calls, settings: settings, control: c}, err
}

// AdmitUser is Admit for a user authenticated by a login service or a token, with the rules from
// [External.Rules]. Such users are never trusted, and may do nothing without rules. The blacklist
// applies to the user and to the name in the load.
func (c *Control) AdmitUser(p wire.PublishLoad, user string, rules []any, calls []Call) (Permit, error) {
	if c.Forbids(user, calls) || c.Forbids(p.User, calls) {
		return Permit{}, server.ErrNotAllowed
	}
	//mutant:login-without-rules
	if len(rules) == 0 { // which would mean everything
		return Permit{}, server.ErrNoAccess
	}
	settings, err := SettingsOf(p)
	return Permit{Rules: rules, calls: calls, settings: settings, control: c}, err
}

// Covers reports whether the rules allow the calls on all of these minions. It does not check nodes
// below: see [Permit.Judge].
func (p Permit) Covers(minions []string) bool {
	return p.judge(Reach{Minions: minions, Subject: p.control.subject}).Allowed
}

// Judge reports whether the rules allow the settings of the job, and the calls on all minions of the
// tree that the target matches, as far as they are known here, and why. node returns the last report
// of a child node.
func (p Permit) Judge(a ownership.Audience, node func(id string) (topology.Node, bool)) verdict.Verdict {
	return p.judge(p.control.ReachOf(a, node))
}

func (p Permit) judge(r Reach) verdict.Verdict {
	//mutant:hostile-returners,access-returners
	return p.control.Judge(p.Rules, p.calls, r).And(p.control.JudgeSettings(p.Rules, p.settings))
}

// Certainly returns a function that reports whether the rules allow the calls on a minion, whatever
// its grains and pillar are. It parses the rules once.
func (p Permit) Certainly() func(id string) bool {
	if len(p.Rules) == 0 {
		return func(string) bool { return true }
	}
	rules := p.control.reader().rules(p.Rules)
	var need [][]target.Expr // for each call the targets of which one has to mean the minion
	for _, c := range p.calls {
		to, all := []target.Expr{}, c.Fun == findJob
		for i := range rules {
			r := &rules[i]
			if r.special != "" || r.refuses(c.Fun, c) != "" {
				continue
			}
			if all = all || r.to == nil; !all {
				to = append(to, r.to)
			}
		}
		if !all {
			need = append(need, to)
		}
	}
	return func(id string) bool {
		for _, to := range need {
			if !slices.ContainsFunc(to, func(e target.Expr) bool { return e.Certain(target.ID(id)) == target.Yes }) {
				return false
			}
		}
		return true
	}
}
