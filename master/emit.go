package master

import (
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// publication is what goes to the minions and nodes.
func (m *Master) publication(j *job) (wire.Publication, error) {
	p := wire.Publication{
		Fun: j.load.Fun, Arg: j.load.Arg, Tgt: j.load.Tgt, JID: j.jid, Ret: j.load.Ret,
		TgtType: j.load.TgtType, User: j.user(), Extra: wire.NewMap(),
	}
	p.MasterID = m.cfg.MasterID
	if id := j.extra.String("master_id"); id != "" {
		p.MasterID = id
	}
	if d := j.extra.String("delimiter"); d != "" && d != ":" {
		p.Delimiter = d
	}
	if !j.until.IsZero() {
		p.Extra.Set(queueField, j.until.Unix())
	}
	if m.cfg.OrderMasters || len(j.Nodes) > 0 {
		p.To, p.HasTo = int64(m.cfg.Timeout/time.Second), true
		if j.load.HasTo {
			p.To = j.load.To
		}
	}
	var err error
	for name, field := range map[string]*wire.Raw{
		"metadata": &p.Metadata, "module_executors": &p.ModuleExecutors, "executor_opts": &p.ExecutorOpts,
		"ret_kwargs": &p.RetKwargs,
	} {
		v, ok := j.extra.Get(name)
		if !ok || v == nil {
			continue
		}
		if *field, err = wire.Encode(v); err != nil {
			return p, fmt.Errorf("encode %s of job %s: %w", name, j.jid, err)
		}
	}
	if len(j.rules) > 0 || m.cfg.OrderMasters {
		// Also without known nodes: one that is new must not run it unchecked.
		if p.AuthList, err = wire.Encode(append([]any{}, j.rules...)); err != nil {
			return p, fmt.Errorf("encode auth_list of job %s: %w", j.jid, err)
		}
	}
	p.RetConfig, p.ID = j.extra.String("ret_config"), j.extra.String("id")
	return p, m.signatures.SignJob(&p, j.extra, j.fromAbove)
}

// send encrypts, signs and publishes.
func (m *Master) send(j *job, p wire.Publication) error {
	if err := m.emitTo(p, j.topics(m.cfg.OrderMasters), m.allBut(j.Spared)); err != nil {
		return fmt.Errorf("publish job %s: %w", j.jid, err)
	}
	if m.kept.Published(j.jid) {
		m.jobs.Published(j.jid)
	}
	return nil
}

// allBut picks all subscribers but these nodes.
func (m *Master) allBut(nodes []string) *zmtp.Choice {
	if len(nodes) == 0 {
		return nil
	}
	return &zmtp.Choice{IDs: m.policy.Conns(nodes), But: true}
}

// emit seals a publication and hands it to the subscribers.
func (m *Master) emit(p wire.Publication, topics []string) error { return m.emitTo(p, topics, nil) }

// emitTo is emit to some of the subscribers; nil means all.
func (m *Master) emitTo(p wire.Publication, topics []string, to *zmtp.Choice) error {
	return m.keys.Seal(p, m.number, func(body []byte) error {
		if !m.cfg.ZmqFiltering {
			topics = []string{""}
		}
		m.diary.Published(p.JID)
		for _, t := range topics {
			if err := m.pub.SendTo(t, body, to); err != nil {
				return err
			}
		}
		return nil
	})
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
		topic = channel.ToAll
	}
	err := m.pub.SendPeer(conn, topic, body)
	if errors.Is(err, zmtp.ErrClosed) {
		return nil // it is asked anew when it is back
	}
	return err
}
