package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/rows"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// claimPatience is how long a return waits for the report of a node that a
// minion has just moved to.
const claimPatience = 2 * time.Second

func init() {
	own.Register(server.Command{
		Name: "_syndic_return", Who: server.Peer, Whole: true,
		Args: []string{"load"},
		Doc: `
Returns of minions below a node, of one or several jobs, in one commit.

load
    A list, for each job its jid, fun, load and, by minion, the results in return. A
    sender that may not be a node is refused.
`,
	}, func(m *Master) server.Handler { return m.onSyndicReturn })
}

// onSyndicReturn serves `_syndic_return`: returns of minions below a node (Salt
// wire reference §9.2). All of one request share a commit. What cannot be a
// return is left out and reported: it would be refused again each time, and the
// others with it.
func (m *Master) onSyndicReturn(ctx context.Context, r *server.Request) (any, error) {
	sr, err := wire.ParseSyndicReturn(r.Load)
	if err != nil {
		return nil, fmt.Errorf("returns through syndic %q: %w", r.ID, err)
	}
	var as []arrival
	var loads []returners.Load
	nodes := map[string]error{} // whether each that speaks may
	for _, err := range sr.Broken {
		m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: r.ID, Err: err})
	}
	var verdicts wire.Verdicts
	patience, cancel := context.WithTimeout(ctx, claimPatience)
	defer cancel()
	for _, j := range sr.Loads {
		via := r.ID
		if r.Version < 3 { // which names the syndic only inside
			via = j.ID
		}
		if _, known := nodes[via]; !known {
			nodes[via] = m.mayReturnFor(via)
		}
		if err := nodes[via]; err != nil {
			if r.Version >= 3 { // all of it is in that name
				return nil, err
			}
			m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfNode, Path: via, JID: j.JID, Err: err})
			continue
		}
		if !jid.Valid(j.JID) {
			m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: via, Err: fmt.Errorf("jid %q is not a job id", j.JID)})
			continue
		}
		if m.peers.AskedWho(j.JID) { // a syndic has passed on who its own connection is asked
			continue
		}
		if !wire.IsNil(j.Load) && !wire.IsEmptyMap(j.Load) {
			if err := wire.FitFields(j.Load, m.cfg.Bounds.Depth); err != nil { // its returns are good all the same
				m.policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: via, JID: j.JID, Err: fmt.Errorf("load of the job: %w", err)})
			} else {
				m.publisher.OtherRecord(ctx, via, j.JID, j.Load)
				loads = append(loads, returners.Load{JID: j.JID, Raw: j.Load, At: m.now()})
			}
		}
		for _, mr := range j.Returns {
			a, kind, err := m.below(patience, j, mr, via)
			row := wire.ReturnOf{JID: j.JID, ID: mr.ID}
			switch {
			case err == nil:
			case kind == ownership.OfUnusable && m.peers.Probed(j.JID):
				continue
			case kind == ownership.OfUnusable:
				verdicts.Refuse(row, err.Error())
				if a, err = m.unusableBelow(j, mr, via, err); err != nil {
					return nil, err
				}
			default:
				m.policy.Trespassed(ownership.Trespass{Kind: kind, Path: via, ID: mr.ID, JID: j.JID, Err: err})
				if kind == ownership.OfUnproven {
					verdicts.Leave(row) // the node keeps it and sends it again
				}
				continue
			}
			if !m.peers.Answered(j.JID, mr.ID, a.ret.Value, r.Version) {
				as = append(as, a)
			}
		}
	}
	if err := m.keep(ctx, as, loads); err != nil {
		return nil, err
	}
	return verdicts.Reply(), nil
}

// mayReturnFor tells whether an id may pass returns of others on.
func (m *Master) mayReturnFor(via string) error {
	if !m.keys.Accepted(via) {
		return fmt.Errorf("returns through syndic %q: no accepted key of that id", via)
	}
	return m.policy.Join(via)
}

// below builds the return of a minion behind a node. Of one that is refused it gives
// the kind of trespass; [ownership.OfUnusable] is one that its minion is meant to give.
func (m *Master) below(ctx context.Context, j wire.SyndicJob, mr wire.MinionReturn, via string) (_ arrival, kind string, _ error) {
	if err := keys.ValidID(mr.ID); err != nil {
		return arrival{}, ownership.OfEntry, err
	}
	if err := m.policy.Settle(ctx, via, mr.ID); err != nil {
		var elsewhere ownership.ElsewhereError
		if errors.As(err, &elsewhere) && m.peers.Role(via) == presence.Syndic {
			return arrival{}, ownership.OfUnproven, err
		}
		return arrival{}, ownership.OfReturn, err
	}
	if m.policy.Excludes(j.JID, mr.ID) {
		return arrival{}, ownership.OfJob, errNotMeant
	}
	ret, err := rows.Below(j, mr, m.cfg.Bounds.Depth)
	if err != nil {
		return arrival{}, ownership.OfUnusable, err
	}
	a := arrival{ret: rows.Of(ret, m.now()), event: ret.Full}
	a.ret.Via = via
	return a, "", nil
}

// unusableBelow is the error in the place of a return of a minion behind a node.
func (m *Master) unusableBelow(j wire.SyndicJob, mr wire.MinionReturn, via string, why error) (arrival, error) {
	a, err := m.unusable(wire.Return{ID: mr.ID, JID: j.JID, Fun: j.Fun, MasterID: j.MasterID}, via, why)
	a.ret.Via = via
	return a, err
}
