package ownership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/topology"
)

// Options of a [Policy]. All are required.
type Options struct {
	// PkiDir holds the roles of keys, SyndicDir Salt's marks of syndics, Cachedir the claims.
	PkiDir, SyndicDir, Cachedir string
	// SyndicIDs are globs of ids that may be nodes. If it is empty, OrderMasters lets other
	// keys become nodes by acting as one; see [Judge.MayBeNode].
	SyndicIDs    []string
	OrderMasters bool
	// Nodegroups define N@ in targets. Prune skips nodes without a matching minion.
	Nodegroups map[string]any
	Prune      bool

	// EventTags are globs of service tags that minions may fire.
	EventTags []string

	// Keys reports which keys are accepted.
	Keys interface {
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
		List(s keys.State) []string
	}
	Presence Presence
	// NodeConns returns the connections of a node.
	NodeConns func(id string) []uint64
	// Running reports whether a runner call of this master is running under a jid.
	Running func(jid string) bool
	// Guest returns an error if a peer with another home may not be a node. Absent reports
	// whether such a peer is not here now.
	Guest  func(id string) error
	Absent func(id string) bool
	// Subject returns the known data of a minion, for matching.
	Subject func(id string) target.Subject
	// Resources are those that minions of Salt 3008 manage; nil if none do.
	Resources Resources
	// KeepsData says that grains and pillar of minions are kept over restarts.
	KeepsData bool
	// Keeps says that publications are kept for peers that are away.
	Keeps bool
	// Barred is wrapped by the error for a peer that may not be a node. The refusal is
	// logged before it is returned.
	Barred error
	Tree   *topology.Tree
	// Fire sends an event to the bus.
	Fire func(tag string, data *wire.Map)
	// Refused counts refusals. Failing logs the error of something that is retried.
	Refused func()
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Presence reports who is connected, and in which role.
type Presence interface {
	// Announced and Node return the liveness of a minion and of a node that announce
	// themselves; all others are Untracked.
	Announced(id string) (live engine.Liveness, grace time.Duration)
	Node(id string) (live engine.Liveness, grace time.Duration)
	// Minion returns the standing of any minion.
	Minion(id string) presence.Standing
	// Announces reports whether an id has announced itself in a role.
	Announces(role, id string) bool
	// HasMinion reports whether a minion of an id is or was connected.
	HasMinion(id string) bool
}

// Policy decides who may speak for whom, and resolves targets. It is safe for concurrent use.
type Policy struct {
	o      Options
	roles  *roles.Book
	judge  *Judge
	nodes  *Nodes
	claims *Claims
	beyond *Beyond
	meant  *Meant
	counts *Trespasses
	barred barred
}

// Open reads the stored state.
func Open(o Options) (*Policy, error) {
	p := &Policy{o: o, beyond: NewBeyond(), meant: NewMeant(), counts: NewTrespasses()}
	var err error
	if p.nodes, err = OpenNodes(o.SyndicDir); err != nil {
		return nil, err
	}
	p.roles, err = roles.Open(roles.Options{PkiDir: o.PkiDir, Keys: o.Keys, SyndicIDs: o.SyndicIDs, Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, err
	}
	if p.claims, err = OpenClaims(o.Cachedir); err != nil { // every node reports again
		o.Log.Warn("saved minions of nodes ignored", "err", err)
	}
	p.judge = NewJudge(Config{
		Claims: p.claims, Nodes: p.nodes, SyndicIDs: o.SyndicIDs, OrderMasters: o.OrderMasters, Roles: p.roles, Keys: o.Keys, Presence: o.Presence, Running: o.Running,
	})
	return p, nil
}

// Close saves the claims and closes the roles.
func (p *Policy) Close() error { return errors.Join(p.claims.Save(), p.roles.Close()) }

// Roles returns the roles of keys and the admitted nodes.
func (p *Policy) Roles() *roles.Book { return p.roles }

// Save writes the claims if they changed.
func (p *Policy) Save() error { return p.claims.Save() }

// IsNode reports whether an id is a child node. It may also be a minion; see [Policy.IsMinion].
func (p *Policy) IsNode(id string) bool { return p.nodes.Has(id) }

// IsMinion reports whether an accepted id returns results itself. The id of a node does if a
// minion that shares its key is connected to this master, or was and is not connected to a node
// below.
func (p *Policy) IsMinion(id string) bool {
	switch {
	case p.roles.Top(id):
		return false
	case !p.nodes.Has(id):
		return true
	case !p.o.Presence.HasMinion(id):
		return false
	}
	if live, _ := p.o.Presence.Announced(id); live == engine.Up {
		return true
	}
	_, moved := p.claims.Elsewhere(id, p.judge.Up)
	return !moved
}

// MayHaveNodes reports whether any key may be a node's: see [Judge.MayBeNode].
func (p *Policy) MayHaveNodes() bool { return p.o.OrderMasters || p.roles.AnyAdmitted() }

// Nodes returns the child nodes, sorted.
func (p *Policy) Nodes() []string { return p.nodes.List() }

// Up reports whether a node is connected here.
func (p *Policy) Up(id string) bool { return p.judge.Up(id) }

// Connected is [Judge.Connected].
func (p *Policy) Connected(id string) bool { return p.judge.Connected(id) }

// Claims returns what nodes have reported.
func (p *Policy) Claims() *Claims { return p.claims }

// MayAnswer is [Judge.MayAnswer].
func (p *Policy) MayAnswer(node, id string) error { return p.judge.MayAnswer(node, id) }

// Settle is [Judge.Settle].
func (p *Policy) Settle(ctx context.Context, node, id string) error {
	return p.judge.Settle(ctx, node, id)
}

// MayRelay is [Judge.MayRelay].
func (p *Policy) MayRelay(node, tag string) error { return p.judge.MayRelay(node, tag) }

// Aimed is [Meant.Note].
func (p *Policy) Aimed(jid, tgtType string, expr target.Expr) { p.meant.Note(jid, tgtType, expr) }

// Widened is [Meant.Widen].
func (p *Policy) Widened(jid, tgtType string, expr target.Expr) { p.meant.Widen(jid, tgtType, expr) }

// Excludes is [Meant.Excludes].
func (p *Policy) Excludes(jid, id string) bool { return p.meant.Excludes(jid, id) }

// Passed records that a node forwarded an event in the name of a syndic below it.
func (p *Policy) Passed(id, via string) { p.beyond.Add(id, via) }

// Forget removes an id whose key was deleted.
func (p *Policy) Forget(id string) {
	p.claims.Forget(id)
	p.unbar(id)
	if err := p.roles.Forget(id); err != nil {
		p.o.Log.Error("role of deleted key not removed", "id", id, "err", err)
	}
	if err := p.nodes.Remove(id); err != nil {
		p.o.Log.Error("deleted node not removed", "node", id, "err", err)
	}
}

// Join registers an accepted id as a node, if it may be one.
func (p *Policy) Join(id string) error {
	if err := cmp.Or(p.judge.MayBeNode(id), p.o.Guest(id)); err != nil {
		return p.bar(id, err)
	}
	if p.roles.Of(id) == roles.None {
		if err := p.roles.Fix(id, roles.Syndic); err != nil {
			return fmt.Errorf("mark syndic %s: %w", id, err)
		}
	}
	fresh, err := p.nodes.Add(id)
	if err != nil {
		return fmt.Errorf("mark syndic %s: %w", id, err)
	}
	p.unbar(id)
	if fresh {
		p.o.Log.Info("child node announced", "node", id)
		p.Show(id)
	}
	return nil
}
