package master

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// OpenExpectations gives, for each open job and each that a master above may not
// have heard the end of, the events that tell who has to answer and who will not:
// the forwarder sends them to a parent that was away. After those of a closed job
// comes its salt/job/<jid>/closed, which is for the forwarder; see [Master.Told].
func (m *Master) OpenExpectations() []bus.Event {
	select {
	case <-m.ready: // the jobs of an earlier life are open again
	case <-m.ctx.Done():
		return nil
	}
	untold := m.untold.List() // before the rest is read: all up to these words is stored
	jids := m.ledger.Active()
	for jid := range untold {
		jids = append(jids, jid)
	}
	slices.Sort(jids)
	var out []bus.Event
	for _, jid := range slices.Compact(jids) {
		events, err := m.expectationEvents(jid)
		if err != nil {
			m.log.Error("The expectations of a job could not be read", "jid", jid, "err", err)
			continue
		}
		word, closed := untold[jid]
		if closed && events == nil { // cleaned up
			m.Told(jid, word)
			continue
		}
		out = append(out, events...)
		if closed {
			out = append(out, m.event("salt/job/"+jid+"/closed", closedData(jid, word))...)
		}
	}
	return out
}

// event makes an event that is not fired here.
func (m *Master) event(tag string, d *wire.Map) []bus.Event {
	b, err := wire.Encode(d)
	if err != nil {
		m.log.Error("An event could not be encoded", "tag", tag, "err", err)
		return nil
	}
	return []bus.Event{{Tag: tag, Data: b, Stamp: m.now()}}
}

// expectationEvents tells a job from the start: who has to answer, node by node,
// and who will not. None: nothing is known of it.
func (m *Master) expectationEvents(jid string) ([]bus.Event, error) {
	ctx, cancel := storeContext()
	defer cancel()
	xs, err := m.store.Local().GetExpectations(ctx, jid)
	if err != nil {
		return nil, err
	}
	missing, nodes, err := m.absent(ctx, jid, xs)
	if err != nil {
		return nil, err
	}
	var out []bus.Event
	for _, x := range xs {
		if x.Node != "" && !spoke(x) {
			continue
		}
		asked := []any{}
		if x.Node == "" {
			for _, path := range sortedKeys(nodes) {
				if !strings.Contains(path, "/") && nodes[path] != ledger.NodeUnreachable {
					asked = append(asked, path)
				}
			}
		}
		// Without their reasons the minions that are missing would count as asked in
		// the store of whoever hears this.
		unreachable := wire.NewMap()
		for _, id := range sortedKeys(missing) {
			if missing[id].Path == x.Node {
				unreachable.Set(id, missing[id].Reason)
			}
		}
		ours := wire.NewMap("node", x.Node, "asked", asked, "unreachable", unreachable)
		if m.partial(ctx, jid, x) {
			ours.Set("partial", true)
		}
		out = append(out, m.event(jid, wire.NewMap("minions", x.Minions, "jid", jid, "mom", ours))...)
	}
	for path, state := range nodes {
		if !state.Failed() {
			delete(nodes, path)
		}
	}
	if len(missing)+len(nodes) > 0 {
		out = append(out, m.event("salt/job/"+jid+"/missing", missingData(jid, missing, nodes))...)
	}
	return out, nil
}

// absent gives who does not answer a job and how its nodes are: by the ledger, or
// by what is stored of a job that it has forgotten.
func (m *Master) absent(ctx context.Context, jid string, xs []returners.Expectation) (map[string]ledger.Missing, map[string]ledger.NodeState, error) {
	if a, ok := m.ledger.State(jid); ok {
		return a.Missing, a.Nodes, nil
	}
	missing, nodes := map[string]ledger.Missing{}, map[string]ledger.NodeState{}
	for _, x := range xs {
		for id, why := range x.Missing {
			missing[id] = ledger.Missing{Reason: why, Path: x.Node}
		}
		if x.Node != "" && x.State != "" {
			nodes[x.Node] = ledger.NodeState(x.State)
		}
	}
	if len(missing) == 0 {
		return missing, nodes, nil
	}
	rets, err := m.store.Outcomes(ctx, jid)
	for _, r := range rets { // it came late, or over another node
		delete(missing, r.ID)
	}
	return missing, nodes, err
}

// spoke tells whether a stored expectation of a node below is one: the node may
// only have been found silent or away.
func spoke(x returners.Expectation) bool {
	return !ledger.NodeState(x.State).Failed() || len(x.Minions) > 0
}

// partial tells whether a stored expectation is of minions alone that came at work on
// the job: nobody has given the job to the node.
func (m *Master) partial(ctx context.Context, jid string, x returners.Expectation) bool {
	if x.Node != "" {
		return x.State != string(ledger.NodeAnswered) && x.State != string(ledger.NodePlain)
	}
	if m.ledger.Knows(jid) {
		return m.ledger.Adopted(jid)
	}
	_, loaded, err := m.store.Local().GetLoad(ctx, jid)
	return err == nil && !returners.Given(loaded, x)
}
