package master

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/momtree/mom/returners"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// absentGuest tells that an accepted id has its home elsewhere and is not here now:
// no job has to ask it here, and its home, or the master above that home, misses
// it. One of ours that is on the move is missed here: whoever has it speaks for it,
// and if nobody has, it is named.
func (m *Master) absentGuest(id string) bool {
	if _, guest := m.homes.GuestOf(id); !guest {
		return false
	}
	return m.presence.Live(id) != ledger.Up
}

// sweepHomes forgets guests that have left, and writes what has changed.
func (m *Master) sweepHomes() {
	gone := m.homes.Leavers(func(id string) bool { return m.presence.Live(id) == ledger.Up })
	if err := m.graves.Sweep(); err != nil {
		m.failing("Which keys are gone could not be written", err)
	}
	if len(gone) > 0 && !m.owesAbove() {
		m.homes.Sweeping(gone...)
		if _, err := m.keys.Delete(gone...); err != nil {
			m.log.Error("The keys of guests that have left could not be removed", "err", err)
		}
		for _, id := range gone {
			m.homes.Forget(id)
			// It may have left while this master was down, and nothing told the jobs
			// that it, and what is below it, will not answer here.
			m.jobs.NodeDown(id)
			m.jobs.MinionDown(id, 0)
		}
		m.log.Info("Guests of this node have left", "count", len(gone), "first", gone[0])
	}
	if err := m.homes.Save(); err != nil {
		m.failing("What is known of siblings could not be written", err)
	}
}

// owesAbove tells whether returns wait for the master above, which takes those of
// minions that this node has: a guest that left is remembered until they are there.
func (m *Master) owesAbove() bool {
	return m.parent != "" && returners.OwedAbove(m.store.Outbox().OutboxDests()) > 0
}

// openSiblings makes the desk that answers questions about siblings.
func (m *Master) openSiblings() {
	m.siblings = &failover.Desk{
		Homes: m.homes, ID: m.node, Pair: m.identity.Pair, Accepted: m.keys, Up: m.judge.Up, On: m.cfg.Rehome, Keys: m.cfg.RehomeKeys,
		Graves: m.graves, RoleOf: func(id string) string { return string(m.roles.Of(id)) },
		Admitted: m.roles.Admitted, Refused: m.refusedHome,
		Above: failover.NewHerald(func() time.Duration { return m.tellSiblings(false) }), Below: failover.NewHerald(func() time.Duration { return m.tellSiblings(true) }),
		Signing: m.rsa, Log: m.log, Now: m.now,
	}
}

// HearSiblings takes the signed list of a master above. The forwarder of the same
// node calls it.
func (m *Master) HearSiblings(told sibling.Told) error { return m.siblings.Hear(told) }

// NoSiblings drops what a master above has told of siblings. The forwarder calls it.
func (m *Master) NoSiblings(parent string) (changed bool) { return m.siblings.Unhear(parent) }

// Home is what this node says of itself to a master above: where it listens, unless
// rehome_address says otherwise; "" as host, when it listens everywhere, lets that one use the
// address it sees.
func (m *Master) Home() sibling.Node {
	_, port := m.Ports()
	return sibling.Node{ID: m.node, Host: homeHost(m.cfg.RehomeAddress, m.cfg.Interface), Port: port, Pub: m.identity.Pair.PublicPEM, Draining: m.Draining()}
}

// homeHost is where minions find a node: rehome_address, else the one address that it
// listens at; "" leaves it to the master above, which sees one.
func homeHost(rehome, iface string) string {
	if ip := net.ParseIP(strings.Trim(iface, "[]")); rehome == "" && ip != nil && !ip.IsUnspecified() {
		return ip.String()
	}
	return rehome
}

func init() {
	own.Register(server.Command{
		Name: sibling.Command, Who: server.Proven,
		Args: []string{"role", "have", "voucher", "stay", "leaves", "forever", "transfer", "turn", "host", "port", "pub", "draining", "have_below", "gone", "have_gone"},
		Doc: `
A minion or node asks where it may go when this master is gone; our own addition.

role, have
    What it is, and the sum of the lists that it has already.
voucher
    It wants this master's word that its key is accepted here.
stay, leaves, forever, transfer, turn
    A guest that stays, a minion that leaves for another node or for good, and the word
    that it is its turn.
host, port, pub, draining, have_below, gone, have_gone
    Of a node: where its minions find it and by which key, whether it wants to lose
    them, and what it knows of the nodes below and of deleted keys.
`,
	}, func(m *Master) server.Handler { return m.onSiblings })
}

// onSiblings serves the question of a minion or node where it may go when this
// master is gone. It is our own addition; a Python master answers {}.
func (m *Master) onSiblings(_ context.Context, r *server.Request) (any, error) {
	if !m.cfg.Rehome {
		return wire.NewMap(), nil
	}
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("question of %s about siblings: %w", r.ID, err)
	}
	if d.String("role") == presence.Syndic {
		if err := m.noteNode(r.ID); err != nil {
			return nil, err
		}
	} else {
		m.actsAsMinion(r.ID)
	}
	reply, err := m.siblings.Answer(r.ID, r.Peer.Source().String(), d)
	if err != nil {
		return nil, err
	}
	if d.String("role") == presence.Syndic {
		admitted, told := reply.Get("admitted")
		m.tellUnadmitted(r.ID, told && admitted == false)
	}
	return reply, nil
}

// refusedHome tells what a peer claims of itself as a home for others and may not have.
func (m *Master) refusedHome(id string, err error) {
	m.trespassed(ownership.Trespass{Kind: ownership.OfHome, Path: id, Err: err})
}

// tellUnadmitted has the tree show a node that asks for its siblings and that no operator has
// made a home for others.
func (m *Master) tellUnadmitted(id string, lacks bool) {
	if m.tree.Tell(topology.Problem{
		Kind: topology.Degraded, Path: id,
		Detail: "node " + id + " is not admitted as a home for others: its minions have nowhere to go when it is gone; `mom node admit " + id + "`, or rehome: False there",
	}, "unadmitted/"+id, lacks) && lacks {
		m.log.Warn("A node is not admitted: it speaks for what is below it, but no minion moves to it or from it", "node", id, "mend", "mom node admit "+id)
	}
}

// Draining tells whether `mom node drain` was given at this node.
func (m *Master) Draining() bool { return failover.Draining(m.cfg.Cachedir) }
