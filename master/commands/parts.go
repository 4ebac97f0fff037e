package commands

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	pillars "github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/master/tops"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// Parts holds the parts of a master that the commands use. Each handler takes what it needs.
type Parts struct {
	Config *config.Master
	Server *server.Server
	User   string // that the master runs as

	Keys *keys.Ring
	Gate *keys.Gate
	// SignedIn is called for each admitted peer, before the peer receives the key it connects with.
	SignedIn func(id string)

	Access *access.Control
	Audit  func(access.Asked)
	Tokens Tokens
	Data   *datacache.Cache
	// Trespassed is called when a peer exceeds its rights.
	Trespassed func(ownership.Trespass)
	Unserved   *Unserved
	Pillars    *pillars.Service
	// MayAnswer returns an error if a node directly below does not speak for a minion.
	MayAnswer func(node, id string) error
	Tops      *tops.Tops
	Files     *files.Server
	Inbox     *files.Inbox
	Runners   *runners.Host
	Wheels    wheels.Host
	Jobs      *engine.Engine
	Store     *jobstore.Store
	// Load reads the load of a job; in a cluster, of a job of any top.
	Load      func(ctx context.Context, jid string) (returners.Load, bool, error)
	Publisher *publish.Service
	Batches   *batches.Service
	Tree      func() topology.Node
	JIDs      *jid.Generator

	SignIns *telemetry.SignIns
	Stats   *telemetry.Counters
	Fire    func(tag string, data *wire.Map)
	Log     *slog.Logger
	Now     func() time.Time
}

var set server.Set[*Parts]

// Register adds a command. Its file calls it from init. handler is called once for each master.
func Register(c server.Command, handler func(p *Parts) server.Handler) { set.Register(c, handler) }

// All returns the commands.
func All() []server.Command { return set.Commands() }

// AddTo adds all commands to the server in p.
func AddTo(p *Parts) { set.AddTo(p.Server, p) }

// caller returns who makes a runner or wheel call: the user who logged in, or the owner of the key.
// Only own, the user of the master, may act for others.
func caller(d *wire.Map, r *server.Request, own string) string {
	if r.Login != nil {
		return r.Login.Name
	}
	if user := d.String("user"); user != "" && r.User == own {
		return user
	}
	return r.User
}

// owner returns the caller as the owner of what the call starts.
func owner(d *wire.Map, r *server.Request, own string) access.Owner {
	if r.Login != nil {
		return access.LoginOwner(r.Login)
	}
	return access.Owner{Name: caller(d, r, own)}
}

// gate applies the login rules to runner and wheel calls, and audits all calls.
type gate struct {
	server *server.Server
	audit  func(access.Asked)
	own    string
	kind   string // runner or wheel
	judge  func(rules []any, c functions.Bound) verdict.Verdict
	// private reports whether the audit must not show the arguments of fun; nil means never.
	private func(fun string) bool
}

// pass returns an error if a request may not make a call. Calls with a key were judged by the key.
// besides, if not nil, may allow a call that no rule allows.
func (g gate) pass(d *wire.Map, r *server.Request, c functions.Bound, besides func() bool) error {
	q := access.ByOf(r).Asked(g.kind, caller(d, r, g.own))
	q.Fun, q.Call, q.Allowed = c.Fun(), access.ShownCall(c), true
	//mutant:runners-private-audit
	if g.private != nil && g.private(c.Fun()) {
		q.Call = access.Call{Fun: c.Fun()}
	}
	if r.Login != nil {
		v := g.judge(r.Login.Rules, c)
		//mutant:login-rules-of-calls
		q.Allowed = v.Allowed || besides != nil && besides()
		if !q.Allowed {
			q.Reason = v.String()
		}
	}
	g.audit(q)
	if q.Allowed {
		return nil
	}
	g.server.RefusedUser(r.Cmd, r.Login.Name, c.Fun())
	no := server.AuthenticationFailed(r.Login.By)
	no.Message += " for user " + r.Login.Name + "."
	return no
}
