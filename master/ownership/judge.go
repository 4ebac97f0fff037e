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
	// Nodes are those right below.
	Nodes interface{ Has(id string) bool }
	// SyndicIDs are the globs of ids that may be nodes. OrderMasters lets other keys become
	// nodes by what they do, where SyndicIDs is empty; see [Judge.MayBeNode].
	SyndicIDs    []string
	OrderMasters bool
	// Roles tells what keys are: what they were first, and who of them is admitted by
	// an operator.
	Roles interface {
		Of(id string) roles.Role
		Admitted(id string) bool
	}
	// Keys tells whose key is accepted.
	Keys interface{ Accepted(id string) bool }
	// Presence tells who is connected, and as what.
	Presence interface {
		Announced(id string) (live engine.Liveness, grace time.Duration)
		Node(id string) (live engine.Liveness, grace time.Duration)
		Announces(role, id string) bool
	}
	// Running tells whether a runner call of this master is at work under a jid.
	Running func(jid string) bool
}

// Judge tells who may speak for whom. It keeps nothing itself.
type Judge struct{ c Config }

// NewJudge makes one that looks where c says.
func NewJudge(c Config) *Judge { return &Judge{c} }

// errConnected and its like say why a node does not speak for a minion.
var (
	errConnected = errors.New("it is connected to this master and answers for itself")
	errOwnKey    = errors.New("its key is accepted here, and no node has reported it as its own; if it has moved, delete the key here")
)

// ElsewhereError may pass: a minion that has moved is still reported by its former
// node for a moment.
type ElsewhereError struct{ Node string }

func (e ElsewhereError) Error() string { return "it is connected to node " + e.Node }

// MayReturn tells why a minion may not return in the name of an id, if so. Before protocol
// 3 nothing proves who sends a return.
func MayReturn(sender, id string, version int) error {
	if version >= 3 && sender != id {
		return fmt.Errorf("%s returns as %q", sender, id)
	}
	return nil
}

// Connected reports whether an id is a minion that is connected to this very master: no node
// speaks for it, but one that shares its id and key.
func (j *Judge) Connected(id string) bool {
	live, _ := j.c.Presence.Announced(id)
	return live == engine.Up
}

// MayAnswer tells whether a node right below speaks for a minion: where the
// minion is connected now decides, else where it is known. Of a Python syndic the
// minions are not known, so it is believed of all whom nobody else has. A minion
// of several masters is known to several nodes, and each may speak for it.
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
	// A Python minion tells nobody where it is; one of ours that is away may
	// have moved.
	if id != node && j.c.Keys.Accepted(id) && !j.c.Nodes.Has(id) && !j.c.Presence.Announces(presence.Minion, id) {
		return errOwnKey
	}
	return nil
}

// Up tells whether a node is connected here.
func (j *Judge) Up(id string) bool {
	live, _ := j.c.Presence.Node(id)
	return live == engine.Up
}

// Settle is MayAnswer for a return, which must not get lost: the node may
// have been joined by the minion a moment ago, so its next report is waited for; or
// the minion was there, and has moved while the node was away with the return.
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

// MayBeNode reports why an accepted id may not be a syndic, or nil. An operator decides:
//
//   - an id that is admitted or that syndic_ids lists may, also beside being a minion, since
//     machines share one key between both;
//   - with order_masters and without syndic_ids, so may each key that never was a minion's;
//   - no other may. (Salt lets every accepted minion speak as a syndic.)
func (j *Judge) MayBeNode(id string) error {
	if j.c.Roles.Admitted(id) {
		return nil
	}
	if len(j.c.SyndicIDs) > 0 {
		return errors.New("syndic_ids does not list it, and it is not admitted: `mom node admit " + id + "` if it is a node")
	}
	//mutant:node-by-operator
	if !j.c.OrderMasters {
		return errors.New("no operator has made it a node: `mom node admit " + id + "` if it is one, list it in syndic_ids, or set order_masters: True for all syndics")
	}
	//mutant:minions-stay-minions
	if j.c.Roles.Of(id) == roles.Minion || j.Connected(id) && !j.c.Nodes.Has(id) {
		return errors.New("its key is a minion's; if it is a node now, `mom node admit " + id + "`, list it in syndic_ids, or accept its key anew")
	}
	return nil
}

// MayRelay tells why a node may not pass a tag on, if so: returns come as
// returns, the end of a job below is not its end here, a key rotation is the
// affair of the one master, and minions and nodes of this master speak for
// themselves. What a minion of another node does is believed, as minions move and
// the news of it may be late.
func (j *Judge) MayRelay(node, tag string) error {
	if tag == "key" {
		return errors.New("a rotation of keys is the affair of that master")
	}
	if strings.HasPrefix(tag, ownPrefix) {
		return errors.New("such events stay on the bus of the master that fires them")
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
			return errors.New("the runner call is one of this master's, which tells its result")
		}
	}
	if who, ok := about(tag); ok && who != node && j.Connected(who) {
		return fmt.Errorf("minion %s: %w", who, errConnected)
	}
	switch _, kind, _, _ := jobevent.Parse(tag); kind {
	case jobevent.KindComplete, jobevent.KindReturn:
		return errors.New("returns come as returns, and only this master ends its jobs")
	}
	return nil
}
