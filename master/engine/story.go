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

// Story tells a job from the start: who has to answer it, node by node, and who will
// not, in words on at most n minions each. It is read before the first is given. An error
// ends it.
func (e *Engine) Story(ctx context.Context, jid string, n int) iter.Seq2[jobevent.Word, error] {
	return e.story(ctx, returners.Part{JID: jid}, n)
}

// story is Story for a master above that has given a publication which brought nothing new.
func (e *Engine) story(ctx context.Context, given returners.Part, n int) iter.Seq2[jobevent.Word, error] {
	jid := given.JID
	return func(yield func(jobevent.Word, error) bool) {
		xs, err := e.said(ctx, jid)
		if err != nil {
			yield(nil, fmt.Errorf("read who has to answer job %s: %w", jid, err))
			return
		}
		missed, nodes, err := e.absent(ctx, jid, xs)
		if err != nil {
			yield(nil, fmt.Errorf("read who has answered job %s: %w", jid, err))
			return
		}
		parts, err := e.parts(ctx, jid)
		if err != nil {
			yield(nil, err)
			return
		}
		var all []jobevent.Expectation // whoever hears it may take longer than ctx lasts
		for _, x := range xs {
			if x.Node == "" || spoke(x) {
				w := e.chapter(ctx, x, missed, nodes)
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

// said gives what was said of who has to answer a job, also what waits to be stored: a
// master above that asks only now was not told of it when it came.
func (e *Engine) said(ctx context.Context, jid string) ([]returners.Expectation, error) {
	e.mu.Lock()
	//mutant:engine-second-hears-what-waits
	waiting := e.words.of(jid) // first: what is stored meanwhile is in both
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

// chapter is the word on who has to answer at one node, and who of them will not:
// without the reasons those would count as asked in the store of whoever hears it.
func (e *Engine) chapter(ctx context.Context, x returners.Expectation, missed map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) jobevent.Expectation {
	w := jobevent.Expectation{
		JID: x.JID, Ours: true, Node: x.Node, Minions: slices.Clone(x.Minions), Asked: []string{}, Unreachable: map[string]string{},
		Partial: e.partial(ctx, x),
	}
	// Of every node: a master above that hears of one only takes the job for over before it hears
	// of those behind it.
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

// absent gives who does not answer a job and how its nodes are: by the account, or by
// what is stored of a job that it has forgotten.
func (e *Engine) absent(ctx context.Context, jid string, xs []returners.Expectation) (map[string]jobevent.Absence, map[string]jobevent.NodeState, error) {
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
	for _, r := range rets { // it came late, or over another node
		delete(missed, r.ID)
	}
	return missed, nodes, err
}

// spoke tells whether a stored expectation of a node below is one: the node may only
// have been found silent or away.
func spoke(x returners.Expectation) bool {
	return !jobevent.NodeState(x.State).Failed() || len(x.Minions) > 0
}

// partial tells whether a stored expectation is of minions alone that came at work on
// the job: nobody has given the job to the node.
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
