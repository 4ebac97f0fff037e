package ownership

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
)

// Config of a [Judge].
type Config struct {
	Claims *Claims
	// Nodes are the child nodes.
	Nodes interface{ Has(id string) bool }
	// SyndicIDs are globs of ids that may be nodes. If it is empty, OrderMasters lets other
	// keys become nodes by acting as one; see [Judge.MayBeNode].
	SyndicIDs    []string
	OrderMasters bool
	// Roles returns the role of a key, and whether an operator has admitted it.
	Roles interface {
		Of(id string) roles.Role
		Admitted(id string) bool
	}
	// Keys reports whether a key is accepted.
	Keys interface{ Accepted(id string) bool }
	// Presence reports who is connected, and in which role.
	Presence interface {
		Announced(id string) (live engine.Liveness, grace time.Duration)
		Node(id string) (live engine.Liveness, grace time.Duration)
		Announces(role, id string) bool
	}
	// Running reports whether a runner call of this master is running under a jid.
	Running func(jid string) bool
}

// Judge decides who may speak for whom. It has no state.
type Judge struct{ c Config }

// NewJudge returns a Judge.
func NewJudge(c Config) *Judge { return &Judge{c} }

// Reasons why a node does not speak for a minion.
var (
	errConnected = errors.New("it is connected to this master and answers for itself")
	errOwnKey    = errors.New("its key is accepted here, and no node has reported it; if it has moved, delete the key here")
)

// ElsewhereError is temporary: after a move, the former node still reports the minion for a moment.
type ElsewhereError struct{ Node string }

func (e ElsewhereError) Error() string { return "it is connected to node " + e.Node }

// MayReturn returns an error if a minion may not return in the name of id. Before protocol 3
// nothing proves the sender of a return.
func MayReturn(sender, id string, version int) error {
	if version >= 3 && sender != id {
		return fmt.Errorf("%s returns as %q", sender, id)
	}
	return nil
}

// Connected reports whether an id is a minion connected to this master. No node speaks for it,
// except one that shares its id and key.
func (j *Judge) Connected(id string) bool {
	live, _ := j.c.Presence.Announced(id)
	return live == engine.Up
}

// MayAnswer returns an error if a child node does not speak for a minion. The node that the
// minion is connected to speaks for it, or else any node that has reported it. Since the minions
// of a Python syndic are not known, it speaks for all that no other node has. Several nodes may
// speak for a minion of several masters.
func (j *Judge) MayAnswer(node, id string) error {
	//mutant:cve2024-22231-syndic-return-2
	if err := keys.ValidID(id); err != nil {
		return err
	}
	if node != id && j.Connected(id) {
		return errConnected
	}
	if j.c.Claims.Has(node, id) {
		return nil
	}
	if other, ok := j.c.Claims.Elsewhere(id, j.Up); ok {
		return ElsewhereError{Node: other}
	}
	// A Python minion does not report where it is; one of mom that is away may have moved.
	if id != node && j.c.Keys.Accepted(id) && !j.c.Nodes.Has(id) && !j.c.Presence.Announces(presence.Minion, id) {
		return errOwnKey
	}
	return nil
}

// Up reports whether a node is connected here.
func (j *Judge) Up(id string) bool {
	live, _ := j.c.Presence.Node(id)
	return live == engine.Up
}

// Settle is MayAnswer for a return, which must not be lost. If the minion is elsewhere, it waits
// for the next report of the node, which the minion may have joined a moment ago. It accepts
// returns of minions that moved while the node was away.
func (j *Judge) Settle(ctx context.Context, node, id string) error {
	var elsewhere ElsewhereError
	for {
		next := j.c.Claims.Next()
		err := j.MayAnswer(node, id)
		if err != nil && j.c.Claims.Had(node, id) {
			return nil
		}
		if !errors.As(err, &elsewhere) || !j.c.Presence.Announces(presence.Syndic, node) {
			return err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return err
		}
	}
}

// MayBeNode returns why an accepted id may not be a syndic, or nil. An operator decides:
//
//   - an id that is admitted, or listed in syndic_ids, may, even if it is also a minion, since
//     one machine uses the same key for both;
//   - with order_masters and without syndic_ids, so may each key that was never a minion's;
//   - no other may. (Salt lets every accepted minion act as a syndic.)
func (j *Judge) MayBeNode(id string) error {
	if j.c.Roles.Admitted(id) {
		return nil
	}
	if len(j.c.SyndicIDs) > 0 {
		return errors.New("syndic_ids does not list it, and it is not admitted: `mom node admit " + id + "` if it is a node")
	}
	//mutant:node-by-operator
	if !j.c.OrderMasters {
		return errors.New("it is not admitted as a node: `mom node admit " + id + "` if it is one, list it in syndic_ids, or set order_masters: True for all syndics")
	}
	//mutant:minions-stay-minions
	if j.c.Roles.Of(id) == roles.Minion || j.Connected(id) && !j.c.Nodes.Has(id) {
		return errors.New("its key is a minion's; if it is a node now, `mom node admit " + id + "`, list it in syndic_ids, or accept its key again")
	}
	return nil
}

// MayRelay returns an error if a node may not forward a tag: returns are sent as returns, only
// this master ends its jobs and rotates its keys, and its own minions and nodes speak for
// themselves. Events of other nodes' minions are believed, as reports of moves may be late.
func (j *Judge) MayRelay(node, tag string) error {
	if tag == "key" {
		return errors.New("key rotation is local to a master")
	}
	if strings.HasPrefix(tag, ownPrefix) {
		return errors.New("such events stay on the bus of their master")
	}
	if err := wellFormed(tag); err != nil {
		return err
	}
	for _, p := range []string{"syndic/", "salt/syndic/"} {
		rest, ok := strings.CutPrefix(tag, p)
		if !ok {
			continue
		}
		who, _, _ := strings.Cut(rest, "/")
		if who != node && j.Up(who) && j.c.Nodes.Has(who) && !j.c.Claims.HasNode(node, who) {
			return fmt.Errorf("node %s is connected to this master and speaks for itself", who)
		}
		return nil
	}
	if rest, ok := strings.CutPrefix(tag, "salt/run/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		if j.c.Running(id) {
			return errors.New("the runner call is one of this master's, which reports its result")
		}
	}
	if who, ok := about(tag); ok && who != node && j.Connected(who) {
		return fmt.Errorf("minion %s: %w", who, errConnected)
	}
	switch _, kind, _, _ := jobevent.Parse(tag); kind {
	case jobevent.KindComplete, jobevent.KindReturn:
		return errors.New("returns are sent as returns, and only this master ends its jobs")
	}
	return nil
}
