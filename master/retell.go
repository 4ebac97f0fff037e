package master

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// OpenJobs lists the jobs that a master above has to be told of when it was away: the
// open ones, and the closed ones of which it may not have heard the end; in the order of
// their jids, those behind one, at most n.
func (m *Master) OpenJobs(after string, n int) []string {
	select {
	case <-m.ready: // the jobs of an earlier life are open again
	case <-m.ctx.Done():
		return nil
	}
	jids := append(m.ledger.Active(), m.lateJobs.list()...)
	jids = append(jids, m.ending()...)
	for jid := range m.untold.List() {
		jids = append(jids, jid)
	}
	jids = slices.DeleteFunc(jids, func(jid string) bool { return jid <= after })
	slices.Sort(jids)
	jids = slices.Compact(jids)
	return jids[:min(n, len(jids))]
}

// endingPatience is how long the books may take to write what comes into them.
const endingPatience = 5 * time.Second

// ending gives jobs that are closed and not in untold yet, once the ends that come into
// the books have been written: a word of them may be lost before their end is told. While
// nothing can be written those are all that are marked as open.
func (m *Master) ending() []string {
	ctx, cancel := context.WithTimeout(m.ctx, endingPatience)
	defer cancel()
	if m.books.Wait(ctx) == nil {
		return nil
	}
	jids, err := m.open.List()
	if err != nil {
		m.log.Error("Not all jobs can be told to the masters above again", "err", err)
	}
	return jids
}

// Word gives the number of the last word about a job that is closed and of which the
// masters above may not have heard the end.
func (m *Master) Word(jid string) (word uint64, closed bool) {
	return m.untold.Word(jid)
}

// Story tells a job from the start, in events that speak of at most n minions each: who
// has to answer, node by node, and who will not. The forwarder sends them to a parent
// that was away. After those of a closed job comes its salt/job/<jid>/closed, which is
// for the forwarder; see [Master.Told].
func (m *Master) Story(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		word, closed := m.untold.Word(jid) // before the rest is read: all up to this word is stored
		some := false
		tell := func(tag string, d *wire.Map) bool {
			b, err := wire.Encode(d)
			if err != nil {
				m.log.Error("An event could not be encoded", "tag", tag, "err", err)
				return true
			}
			some = true
			return yield(bus.Event{Tag: tag, Data: b, Stamp: m.now()})
		}
		on, err := m.story(jid, n, tell)
		switch {
		case err != nil:
			m.log.Error("The expectations of a job could not be read", "jid", jid, "err", err)
		case closed && !some && on: // cleaned up
			m.Told(jid, word)
		case closed && on:
			tell("salt/job/"+jid+"/closed", closedData(jid, word))
		}
	}
}

// story tells what is known of a job; false: it is not to go on.
func (m *Master) story(jid string, n int, tell func(tag string, d *wire.Map) bool) (on bool, err error) {
	ctx, cancel := storeContext()
	xs, err := m.store.Local().GetExpectations(ctx, jid)
	if err != nil {
		cancel()
		return true, err
	}
	missing, nodes, err := m.absent(ctx, jid, xs)
	cancel()
	if err != nil {
		return true, err
	}
	for _, x := range xs {
		if x.Node != "" && !spoke(x) {
			continue
		}
		if !m.storyOf(x, n, missing, nodes, tell) {
			return false, nil
		}
	}
	maps.DeleteFunc(nodes, func(_ string, s ledger.NodeState) bool {
		return !s.Failed()
	})
	for ids := range slices.Chunk(sortedKeys(missing), n) {
		part := make(map[string]ledger.Missing, len(ids))
		for _, id := range ids {
			part[id] = missing[id]
		}
		if !tell("salt/job/"+jid+"/missing", missingData(jid, part, nil)) {
			return false, nil
		}
	}
	for paths := range slices.Chunk(sortedKeys(nodes), n) {
		part := make(map[string]ledger.NodeState, len(paths))
		for _, path := range paths {
			part[path] = nodes[path]
		}
		if !tell("salt/job/"+jid+"/missing", missingData(jid, nil, part)) {
			return false, nil
		}
	}
	return true, nil
}

// storyOf tells one expectation. Only the last piece of it says that it is all that
// the node has, and who else was asked: a master above that has heard the first of
// several must not take the job for complete.
func (m *Master) storyOf(x returners.Expectation, n int, missing map[string]ledger.Missing, nodes map[string]ledger.NodeState, tell func(string, *wire.Map) bool) bool {
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
	ids := slices.Clone(x.Minions)
	counted := make(map[string]bool, len(ids))
	for _, id := range ids {
		counted[id] = true
	}
	for _, id := range sortedKeys(missing) {
		if missing[id].Path == x.Node && !counted[id] {
			ids = append(ids, id)
		}
	}
	ctx, cancel := storeContext()
	partial := m.partial(ctx, x.JID, x)
	cancel()
	for first := true; first || len(ids) > 0; first = false {
		piece := ids[:min(n, len(ids))]
		ids = ids[len(piece):]
		minions, unreachable := []any{}, wire.NewMap()
		for _, id := range piece {
			if counted[id] {
				minions = append(minions, id)
			}
			if g, gone := missing[id]; gone && g.Path == x.Node {
				unreachable.Set(id, g.Reason)
			}
		}
		ours := wire.NewMap("node", x.Node, "asked", asked, "unreachable", unreachable)
		if len(ids) > 0 {
			ours.Set("asked", []any{})
		}
		if len(ids) > 0 || partial {
			ours.Set("partial", true)
		}
		if !tell(x.JID, wire.NewMap("minions", minions, "jid", x.JID, "mom", ours)) {
			return false
		}
	}
	return true
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
