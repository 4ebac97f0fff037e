package engine

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// History yields the reports of a job from its start: expectations by node, then missing minions
// and failed nodes, at most n minions per report. It reads everything before the first yield. It
// stops after an error.
func (e *Engine) History(ctx context.Context, jid string, n int) iter.Seq2[jobevent.Word, error] {
	return e.history(ctx, returners.Part{JID: jid}, n)
}

// history is History for a master above that requested a publication already known.
func (e *Engine) history(ctx context.Context, given returners.Part, n int) iter.Seq2[jobevent.Word, error] {
	jid := given.JID
	return func(yield func(jobevent.Word, error) bool) {
		xs, err := e.expectations(ctx, jid)
		if err != nil {
			yield(nil, fmt.Errorf("read expectations of job %s: %w", jid, err))
			return
		}
		missed, nodes, err := e.absences(ctx, jid, xs)
		if err != nil {
			yield(nil, fmt.Errorf("read returns of job %s: %w", jid, err))
			return
		}
		parts, err := e.parts(ctx, jid)
		if err != nil {
			yield(nil, err)
			return
		}
		var all []jobevent.Expectation // ctx may end while the consumer works
		for _, x := range xs {
			if x.Node == "" || hasExpectation(x) {
				w := e.expectationAt(ctx, x, missed, nodes)
				w.Parts = max(parts, given.N)
				all = append(all, w)
			}
		}
		for _, x := range all {
			for w := range x.Pieces(n) {
				if !yield(w, nil) {
					return
				}
			}
		}
		maps.DeleteFunc(nodes, func(_ string, s jobevent.NodeState) bool { return !s.Failed() })
		for w := range (jobevent.Missing{JID: jid, Minions: missed, Nodes: nodes}).Pieces(n) {
			if !yield(w, nil) {
				return
			}
		}
	}
}

// expectations returns the stored and queued expectations of a job. A parent that requests the job
// only now has not received the queued ones.
func (e *Engine) expectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	e.mu.Lock()
	//mutant:engine-second-hears-what-waits
	waiting := e.records.ofJob(jid) // read first; rows stored meanwhile appear twice and merge
	e.mu.Unlock()
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	for _, w := range waiting {
		i := slices.IndexFunc(xs, func(x returners.Expectation) bool { return x.Node == w.Node })
		if i < 0 {
			i, xs = len(xs), append(xs, returners.Expectation{JID: jid, Node: w.Node})
		}
		xs[i], _ = xs[i].Merge(w)
	}
	return xs, err
}

// expectationAt returns the expectation of one node with its missing minions. Without their
// reasons the receiver would store them as asked.
func (e *Engine) expectationAt(ctx context.Context, x returners.Expectation, missed map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) jobevent.Expectation {
	w := jobevent.Expectation{
		JID: x.JID, Ours: true, Node: x.Node, Minions: slices.Clone(x.Minions), Asked: []string{}, Unreachable: map[string]string{},
		Partial: e.partial(ctx, x),
	}
	// Include minions that are stored as missing and waited for again.
	for id := range x.Missing {
		if _, gone := missed[id]; !gone && x.Node == "" && !slices.Contains(x.Minions, id) && e.ledger.Expects(x.JID, id) {
			//mutant:engine-waited-for-again-are-reported
			w.Minions = append(w.Minions, id)
		}
	}
	slices.Sort(w.Minions)
	// Include failed nodes: otherwise a parent could close the job before it receives the
	// expectations of the nodes behind them.
	for _, path := range sorted(nodes) {
		above, id := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			above, id = path[:i], path[i+1:]
		}
		if above == x.Node && nodes[path] != jobevent.NodeUnreachable {
			w.Asked = append(w.Asked, id)
		}
	}
	for id, g := range missed {
		//mutant:engine-repeated-reports-have-reasons
		if g.Path == x.Node {
			w.Unreachable[id] = g.Reason
		}
	}
	return w
}

// absences returns the missing minions and the node states of a job, from the ledger or, once
// forgotten there, from the store.
func (e *Engine) absences(ctx context.Context, jid string, xs []returners.Expectation) (map[string]jobevent.Absence, map[string]jobevent.NodeState, error) {
	if a, ok := e.ledger.State(jid); ok {
		return a.Missing, a.Nodes, nil
	}
	missed, nodes := Absent(xs), map[string]jobevent.NodeState{}
	for _, x := range xs {
		if x.Node != "" && x.State != "" {
			nodes[x.Node] = jobevent.NodeState(x.State)
		}
	}
	if len(missed) == 0 {
		return missed, nodes, nil
	}
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	for _, r := range rets { // late, or through another node
		delete(missed, r.ID)
	}
	return missed, nodes, err
}

// hasExpectation reports whether a row holds an expectation, not only the state of a failed node.
func hasExpectation(x returners.Expectation) bool {
	return !jobevent.NodeState(x.State).Failed() || len(x.Minions) > 0
}

// partial reports whether a row holds adopted minions only: nobody published the job to that node.
func (e *Engine) partial(ctx context.Context, x returners.Expectation) bool {
	if x.Node != "" {
		return x.State != string(jobevent.NodeAnswered) && x.State != string(jobevent.NodePlain)
	}
	if e.ledger.knows(x.JID) {
		return e.ledger.adopted(x.JID)
	}
	_, loaded, err := e.cfg.Storage.GetLoad(ctx, x.JID)
	return err == nil && !returners.PublishedHere(loaded, x)
}
