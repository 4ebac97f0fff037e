package master

import (
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/topology"
)

// Topics under which zmq_filtering sends what is for all, and what is for syndics.
const (
	toAll     = "broadcast"
	toSyndics = "syndic"
)

// passedOver is a master_id by which Python syndics pass a publication over: they
// compare it with their own, and take this number for theirs where none is set. A
// minion sends it back and does nothing else with it.
const passedOver = 1

// onNameless has a subscription asked that does not announce itself: libzmq sends no
// identity. With zmq_filtering it subscribes to the hash of an id, but anybody may, so
// it is asked all the same; a syndic is not, as it cannot answer for itself.
func (m *Master) onNameless(p *zmtp.Peer, topic string) {
	before := presence.Before{Number: m.kept.Head(), Position: m.diary.Position()}
	if m.presence.Opened(p, before) {
		m.who.Add(p.ID())
	}
	if topic == toSyndics {
		m.presence.OfSyndic(p.ID())
		m.who.Remove(p.ID())
	}
}

// askWho publishes a find_job to one connection alone. Nothing is stored, and the bus
// hears nothing of it. Like sign-ins it takes its turn at the private key.
func (m *Master) askWho(conn uint64, jid string) error {
	m.keys.Turns.Take()
	defer m.keys.Turns.Give()
	p := wire.Publication{JID: jid, TgtType: "glob", User: m.access.Own, Extra: wire.NewMap("master_id", passedOver)}
	var err error
	for field, v := range map[*wire.Raw]any{&p.Fun: findJob, &p.Arg: []any{jid}, &p.Tgt: "*"} {
		if *field, err = wire.Encode(v); err != nil {
			return err
		}
	}
	plain, err := p.Encode()
	if err != nil {
		return err
	}
	return m.sendPeer(conn, plain)
}

// sendPeer seals a publication and gives it to one connection. It has no serial: those
// count what goes out to all.
func (m *Master) sendPeer(conn uint64, plain []byte) error {
	cipher, err := m.keys.Shared.Current().Seal("", plain)
	if err != nil {
		return err
	}
	body, err := m.keys.Envelope(cipher)
	if err != nil {
		return err
	}
	return m.handPeer(conn, body)
}

// handPeer gives an envelope to one connection.
func (m *Master) handPeer(conn uint64, body []byte) error {
	topic := ""
	if m.cfg.ZmqFiltering {
		topic = toAll
	}
	err := m.pub.SendPeer(conn, topic, body)
	if errors.Is(err, zmtp.ErrClosed) {
		return nil // it is asked anew when it is back
	}
	return err
}

// answeredWho takes a return if it answers who hangs on a connection.
func (m *Master) answeredWho(jid, id string, version int) bool {
	if !m.who.Asked(jid) {
		return false
	}
	conn, ok := m.who.Answered(jid)
	if !ok { // the connection is gone: it will be asked on its next one
		return true
	}
	if line, stands := m.presence.Line(conn); stands && version >= 2 {
		m.giveMissed(conn, id, line.Before)
	}
	m.presence.Named(conn, id)
	return true
}

// giveMissed gives a stock minion, on a connection that has just said that it is its
// own, the open jobs which it owes and did not hear over it, once more if need be: it
// passes over a jid that it has seen since its start. It is not given what it may have
// run before a restart of its own.
func (m *Master) giveMissed(conn uint64, id string, before presence.Before) {
	m.kept.Since("", 0, func(seq int64, rec retention.Record) bool {
		if seq > before.Number {
			return false
		}
		owes, queued := m.ledger.Owes(rec.JID, id), m.kept.Wants(rec.JID, id)
		switch {
		case !owes && !queued:
			return true
		case m.ledger.Unheard(rec.JID, id), m.diary.MayRepeat(rec.JID, id, before.Position):
		default:
			return true
		}
		body, err := m.resealed(rec)
		if err == nil {
			err = m.handPeer(conn, body)
		}
		if err != nil {
			m.log.Warn("A job could not be given to a minion that is back", "jid", rec.JID, "id", id, "err", err)
			return true
		}
		m.jobs.GivenStock(rec.JID, id)
		m.kept.Given(rec.JID, id)
		m.stats.Missed.Add(1)
		m.log.Info("A publication was missed and is given again", "jid", rec.JID, "id", id)
		return true
	})
}

// stockWait is how long a job waits for a stock minion that has lost its connection: as
// long as it may take to come back, but no longer than Salt, which hears of no loss,
// waits for its answer.
func (m *Master) stockWait() time.Duration {
	return min(m.cfg.PresenceReconnect, m.cfg.Timeout+m.cfg.GatherJobTimeout)
}

// goneForSure tells the ledger of a minion of this master whose time is up.
func (m *Master) goneForSure(id string) (certain bool, again time.Duration) {
	return m.presence.Gone(id)
}

// missAbsent marks in the tree who is accepted and hangs nowhere, when that has
// become certain. was is what it gave the last time.
func (m *Master) missAbsent(was bool) (sure bool) {
	if sure = m.presence.Sure(); !sure || was {
		return sure
	}
	for _, id := range m.keys.List(keys.Accepted) {
		if m.policy.IsNode(id) {
			continue
		}
		if s := m.presence.Minion(id); s.Stock && s.Live == ledger.Down {
			m.tree.SetMinion(topology.Minion{ID: id, State: topology.Down})
		}
	}
	return sure
}
