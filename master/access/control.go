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

// Control is who of this machine may publish what: the list of rules, and the keys by which
// users prove who they are.
type Control struct {
	*List
	// Own is the login the master runs as, which jobs of its own carry.
	Own string
	// Users are made anew by each start.
	Users Users
	// External are the rules of users of login services.
	External *External
	// Peers are what minions may have done.
	Peers *Peers

	subject func(id string) target.Subject
}

// Open reads the options and writes the keys of users; subject gives what is known of a
// minion.
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

// User tells whose key this is.
func (c *Control) User(key string) (name string, ok bool) { return c.Users.User(key) }

// Permit is what the sender of a load may do.
type Permit struct {
	// Rules are those that the sender is held to; none: everything.
	Rules []any
	// Trusted is described at [List.Trusts].
	Trusted bool

	calls    []Call
	settings Settings
	control  *Control
}

// By is who gives a load: the owner of a key, or a user of a login service.
type By struct {
	Owner string
	Login *server.Login
	From  string // the address
}

// ByOf tells who gives a request.
func ByOf(r *server.Request) By {
	b := By{Owner: r.User, Login: r.Login}
	if b.From = r.From; b.From == "" && r.Peer != nil {
		b.From = r.Peer.Source().String()
	}
	return b
}

// Name is who asks: who has logged in, or else the user that the load names.
func (b By) Name(named string) string {
	if b.Login != nil {
		return b.Login.Name
	}
	return named
}

// Asked is what the audit says of who asks; named is the user that the load names.
func (b By) Asked(kind, named string) Asked {
	q := Asked{Kind: kind, Door: "key", User: b.Name(named), From: b.From}
	if b.Login != nil {
		q.Door, q.Eauth = b.Login.By, b.Login.Eauth
	}
	return q
}

// Admit checks who sends a load, in this order: the blacklist, the rules that the sender is
// held to. A refusal says no more than that. Whether they permit the calls is told by
// [Permit.Covers], once it is known who is meant.
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

// AdmitUser is Admit for somebody whom a login service or a token has proved to be a user,
// with the rules that [External.Rules] gave. They are never trusted, and do nothing without
// rules. The blacklist binds both the user and the name that the load has.
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

// Covers tells whether the rules permit the calls on all of these minions. It says nothing
// of nodes below: see [Permit.Judge].
func (p Permit) Covers(minions []string) bool {
	return p.judge(Reach{Minions: minions, Subject: p.control.subject}).Allowed
}

// Judge tells whether the rules permit the settings of the job, and the calls on all whom a target means in the whole
// tree, as far as it is known here, and why. node gives what a node right below has
// reported.
func (p Permit) Judge(a ownership.Audience, node func(id string) (topology.Node, bool)) verdict.Verdict {
	return p.judge(p.control.ReachOf(a, node))
}

func (p Permit) judge(r Reach) verdict.Verdict {
	//mutant:hostile-returners,access-returners
	return p.control.Judge(p.Rules, p.calls, r).And(p.control.JudgeSettings(p.Rules, p.settings))
}

// Certainly tells whether the rules permit the calls on the minion of an id, whatever its
// grains and pillar are. It reads the rules once, so that it can be asked for many.
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
