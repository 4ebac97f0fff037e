package master

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/returners"
)

// onSyndicReturn serves `_syndic_return`: returns of minions below a node (Salt
// wire reference §9.2). All of one request share a commit. What cannot be a
// return is left out and reported: it would be refused again each time, and the
// others with it.
func (m *Master) onSyndicReturn(ctx context.Context, r *request) (any, error) {
	sr, err := wire.ParseSyndicReturn(r.load)
	if err != nil {
		return nil, fmt.Errorf("returns through syndic %q: %w", r.id, err)
	}
	var as []arrival
	var loads []returners.Load
	for _, j := range sr.Loads {
		via := r.id
		if r.version < 3 { // which names the syndic only inside
			via = j.ID
		}
		if !m.keys.Accepted(via) {
			return nil, fmt.Errorf("returns through syndic %q: no accepted key of that id", via)
		}
		if err := m.noteNode(via); err != nil {
			return nil, err
		}
		if !jid.Valid(j.JID) {
			m.refused("return", nil, fmt.Errorf("node %s: jid %q is not a job id", via, j.JID))
			continue
		}
		if len(j.Load) > 0 && !emptyMap(j.Load) {
			loads = append(loads, returners.Load{JID: j.JID, Raw: j.Load, At: m.now()})
		}
		for _, mr := range j.Returns {
			a, err := m.below(j, mr, via)
			if err != nil {
				m.refused("return", nil, fmt.Errorf("node %s: %w", via, err))
				continue
			}
			if !m.probes.answer(j.JID, mr.ID, a.ret.Value) {
				as = append(as, a)
			}
		}
	}
	return nil, m.keep(ctx, as, loads)
}

// below builds the return of a minion behind a node, in the form and order in
// which Salt's own master makes its event.
func (m *Master) below(j wire.SyndicJob, mr wire.MinionReturn, via string) (arrival, error) {
	fail := func(err error) (arrival, error) {
		return arrival{}, fmt.Errorf("job %s, minion %q: %w", j.JID, mr.ID, err)
	}
	if err := keys.ValidID(mr.ID); err != nil {
		return fail(err)
	}
	if m.answersHere(mr.ID) {
		return fail(fmt.Errorf("it is connected to this master and answers for itself"))
	}
	full := wire.NewMap("jid", j.JID, "id", mr.ID)
	err := wire.Fields(mr.Value, func(key string, val wire.Raw) error {
		if key != "jid" && key != "id" {
			full.Set(key, val)
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	if j.MasterID != "" {
		full.Set("master_id", j.MasterID)
	}
	if _, has := full.Get("fun"); !has && len(j.Fun) > 0 && !wire.IsNil(j.Fun) {
		full.Set("fun", j.Fun)
	}
	if j.Out != "" {
		full.Set("out", j.Out)
	}
	raw, err := wire.Encode(full)
	if err != nil {
		return fail(err)
	}
	ret, err := wire.ParseReturn(raw)
	if err != nil {
		return fail(err)
	}
	ret.Full = raw
	a := arrival{ret: returnRow(ret, m.now()), event: raw}
	a.ret.Via = via
	return a, nil
}

// answersHere tells whether an id is a minion that is connected to this very
// master: no node speaks for it.
func (m *Master) answersHere(id string) bool {
	return m.presence.Role(id) == presence.Minion && m.presence.Live(id) == ledger.Up && !m.nodes.has(id)
}

func emptyMap(r wire.Raw) bool { return len(r) == 1 && (r[0] == 0x80 || r[0] == 0xc0) }

// noteNode remembers that an accepted id is a node and not a minion.
func (m *Master) noteNode(id string) error {
	if m.answersHere(id) {
		return fmt.Errorf("minion %s speaks as a syndic, but has announced itself as a minion", id)
	}
	fresh, err := m.nodes.add(id)
	if err != nil {
		return fmt.Errorf("mark syndic %s: %w", id, err)
	}
	if fresh {
		m.log.Info("A node below made itself known", "node", id)
		m.tree.SetNodeState(id, m.nodeState(id))
	}
	return nil
}
