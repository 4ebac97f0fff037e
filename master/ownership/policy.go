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

// Options of a [Policy]. None may be left out.
type Options struct {
	// PkiDir has the roles of keys, SyndicDir Salt's marks of syndics, Cachedir the claims of
	// an earlier life.
	PkiDir, SyndicDir, Cachedir string
	// SyndicIDs are the globs of ids that may be nodes. OrderMasters lets other keys become
	// nodes by what they do, where SyndicIDs is empty; see [Judge.MayBeNode].
	SyndicIDs    []string
	OrderMasters bool
	// Nodegroups are what N@ means in targets. Prune spares nodes what none of their
	// minions is meant by.
	Nodegroups map[string]any
	Prune      bool

	// EventTags are globs of tags of services that minions may fire too.
	EventTags []string

	// Keys tells whose keys are accepted.
	Keys interface {
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
		List(s keys.State) []string
	}
	Presence Presence
	// Running tells whether a runner call of this master is at work under a jid.
	Running func(jid string) bool
	// Guest tells why a peer whose home is elsewhere may not be a node, if so; Absent tells
	// of one that is not here now.
	Guest  func(id string) error
	Absent func(id string) bool
	// Subject is what is known of a minion.
	Subject func(id string) target.Subject
	// Resources are what minions of Salt 3008 manage; nil: none do.
	Resources Resources
	// KeepsData: grains and pillar of minions are kept over restarts.
	KeepsData bool
	// Keeps tells whether publications are kept for peers that are away.
	Keeps func() bool
	// Barred is wrapped by the refusal of what a peer says as a node that it may not be.
	// It has been told when it is returned.
	Barred error
	// Joined is called with an id that has become a node.
	Joined func(id string)

	Tree *topology.Tree
	// Fire tells the event bus.
	Fire func(tag string, data *wire.Map)
	// Refused counts what was not allowed. Failing tells what is tried again while its
	// cause lasts.
	Refused func()
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Presence tells who is connected, and as what.
type Presence interface {
	// Announced and Node tell of a minion and of a node that announce themselves how they
	// are; all others are Untracked.
	Announced(id string) (live engine.Liveness, grace time.Duration)
	Node(id string) (live engine.Liveness, grace time.Duration)
	// Minion tells of any minion whether it is connected.
	Minion(id string) presence.Standing
	// Announces reports whether an id has announced itself in a role.
	Announces(role, id string) bool
	NodeConns(id string) []uint64
	// HasMinion reports whether a minion of an id is connected, or was.
	HasMinion(id string) bool
}

// Policy tells who may speak for whom, and whom a target means here. It is safe for
// concurrent use.
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

// Open reads what an earlier life has kept.
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
	if p.claims, err = OpenClaims(o.Cachedir); err != nil { // told anew by every node that comes back
		o.Log.Warn("saved minions of nodes ignored", "err", err)
	}
	p.judge = NewJudge(Config{
		Claims: p.claims, Nodes: p.nodes, SyndicIDs: o.SyndicIDs, OrderMasters: o.OrderMasters, Roles: p.roles, Keys: o.Keys, Presence: o.Presence, Running: o.Running,
	})
	return p, nil
}

// Close writes what a next life has to know.
func (p *Policy) Close() error { return errors.Join(p.claims.Save(), p.roles.Close()) }

// Roles are what keys are, and who of them is admitted as a home for others.
func (p *Policy) Roles() *roles.Book { return p.roles }

// Save writes the claims if they have changed.
func (p *Policy) Save() error { return p.claims.Save() }

// IsNode reports whether an id is a node right below. It may be that of a minion too: see
// [Policy.IsMinion].
func (p *Policy) IsNode(id string) bool { return p.nodes.Has(id) }

// IsMinion reports whether an accepted id has to answer itself. That of a node does if a
// minion of that id, which shares its key, is connected to this master, or was and is
// connected to no node below.
func (p *Policy) IsMinion(id string) bool {
	switch {
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

// Nodes lists the nodes right below, sorted.
func (p *Policy) Nodes() []string { return p.nodes.List() }

// Up reports whether a node is connected here.
func (p *Policy) Up(id string) bool { return p.judge.Up(id) }

// Connected is described at [Judge.Connected].
func (p *Policy) Connected(id string) bool { return p.judge.Connected(id) }

// Claims are what nodes have reported as theirs.
func (p *Policy) Claims() *Claims { return p.claims }

// MayAnswer is described at [Judge.MayAnswer].
func (p *Policy) MayAnswer(node, id string) error { return p.judge.MayAnswer(node, id) }

// Settle is described at [Judge.Settle].
func (p *Policy) Settle(ctx context.Context, node, id string) error {
	return p.judge.Settle(ctx, node, id)
}

// MayRelay is described at [Judge.MayRelay].
func (p *Policy) MayRelay(node, tag string) error { return p.judge.MayRelay(node, tag) }

// Aimed remembers whom a job is for, as far as ids tell; see [Meant.Note].
func (p *Policy) Aimed(jid, tgtType string, expr target.Expr) { p.meant.Note(jid, tgtType, expr) }

// Widened is Aimed for a job that is published to further minions; see [Meant.Widen].
func (p *Policy) Widened(jid, tgtType string, expr target.Expr) { p.meant.Widen(jid, tgtType, expr) }

// Excludes tells whether a job was certainly not for a minion.
func (p *Policy) Excludes(jid, id string) bool { return p.meant.Excludes(jid, id) }

// Passed notes that a node passed on something under the name of a syndic below it.
func (p *Policy) Passed(id, via string) { p.beyond.Add(id, via) }

// Forget drops what is known of an id whose key is gone.
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

// Join notes that an accepted id is a node and not a minion, if it may be.
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
		p.o.Joined(id)
	}
	return nil
}
