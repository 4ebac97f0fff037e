package retention

import (
	"context"
	"log/slog"
	"maps"
	"strings"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// QueuesOptions of [NewQueues]. All are required.
type QueuesOptions struct {
	Jobs interface {
		Overdue(jid, reason string, minions map[string]string)
		State(jid string) (engine.Account, bool)
	}
	Store interface {
		GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
		GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error)
		Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
	}
	// Nodes returns the child nodes.
	Nodes func() []string
	Log   *slog.Logger
}

// Queues adds to a Log the queues for minions and nodes that are away. A peer is queued until
// it answers, the deadline passes, or the job is taken back. The simulator (lab/sim) uses it too.
type Queues struct {
	*Log
	o QueuesOptions
}

// NewQueues returns queues over a log. [Queues.TakeUpQueues] restores those of the previous
// process.
func NewQueues(l *Log, o QueuesOptions) *Queues { return &Queues{l, o} }

// QueueAway queues a job for peers just found away: direct minions, and nodes that were not
// reached, with the minions behind them. If the job is no longer queued, they expire at once.
func (q *Queues) QueueAway(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) {
	var minions, settled []string
	away, paths, below := map[string]map[string]string{}, map[string]string{}, map[string]string{}
	for path, s := range nodes {
		if !strings.Contains(path, "/") && (s == jobevent.NodeUnreachable || s == jobevent.NodeSilent) {
			away[path] = map[string]string{}
		}
	}
	for id, g := range gone {
		if g.Reason != engine.Queued {
			settled = append(settled, id)
			continue
		}
		root, _, _ := strings.Cut(g.Path, "/")
		switch {
		case g.Path == "":
			minions = append(minions, id)
		case away[root] != nil:
			away[root][id] = g.Path
		default: // behind a connected node, which has the job or knows who has it
			below[id] = g.Path
		}
		paths[id] = g.Path
	}
	q.Settled(jid, settled)
	if queued := q.Add(jid, minions, away) && q.AddBelow(jid, below); !queued && len(paths) > 0 {
		q.o.Jobs.Overdue(jid, engine.Expired, paths)
	}
}

// Unqueue reports that the peers a queued job waits for will not get it. Nodes below report their
// own minions too, but not those behind a node that they never knew.
func (q *Queues) Unqueue(w Waiting, reason string) {
	paths := map[string]string{}
	//mutant:engine-queued-below-expire
	maps.Copy(paths, w.Below)
	for id := range w.Minions {
		paths[id] = ""
	}
	for _, known := range w.Nodes {
		maps.Copy(paths, known)
	}
	q.o.Log.Info("queued job expired", "jid", w.JID, "reason", reason, "minions", len(paths))
	if len(paths) == 0 {
		return
	}
	q.o.Jobs.Overdue(w.JID, reason, paths)
}

// TakeUpQueues restores the queued jobs of the previous process.
func (q *Queues) TakeUpQueues(ctx context.Context) {
	for _, r := range q.Records() {
		if err := q.takeUp(ctx, r); err != nil {
			q.o.Log.Error("queued job not resumed", "jid", r.JID, "err", err)
		}
	}
}

// takeUp finds the peers that a queued job of the previous process waits for.
func (q *Queues) takeUp(ctx context.Context, r Record) error {
	_, ok, err := q.o.Store.GetLoad(ctx, r.JID)
	if err != nil {
		return err
	}
	if !ok { // killed before the job was stored and acknowledged
		q.o.Log.Warn("queued job dropped, it was never stored", "jid", r.JID)
		q.Drop(r.JID)
		return nil
	}
	xs, err := q.o.Store.GetExpectations(ctx, r.JID)
	if err != nil {
		return err
	}
	rets, err := q.o.Store.Outcomes(ctx, r.JID)
	if err != nil {
		return err
	}
	var minions []string
	nodes, below := map[string]map[string]string{}, map[string]string{}
	for _, id := range q.o.Nodes() {
		nodes[id] = map[string]string{}
	}
	for _, x := range xs {
		//mutant:engine-guests-are-no-takeover-stored
		if len(x.Minions) > 0 && len(x.Missing) == 0 && tookOver(x) {
			delete(nodes, x.Node) // it has the job; if sent again, it knows the jid
		}
	}
	for _, x := range xs {
		if x.Node == "" {
			minions = append(minions, x.Minions...)
		}
		root, _, _ := strings.Cut(x.Node, "/")
		for id, why := range x.Missing {
			switch {
			case why != engine.Queued:
			case x.Node == "":
				minions = append(minions, id)
			case nodes[root] != nil:
				nodes[root][id] = x.Node
			default:
				below[id] = x.Node
			}
		}
	}
	q.Add(r.JID, minions, nodes)
	q.AddBelow(r.JID, below)
	for _, ret := range rets {
		q.Answered(r.JID, ret.ID)
		for _, known := range nodes {
			delete(known, ret.ID)
		}
	}
	return nil
}

// tookOver reports whether a node has taken over a job, by its stored expectation. Other states may
// hold minions that came while running the job.
func tookOver(x returners.Expectation) bool {
	return x.State == string(jobevent.NodeAnswered) || x.State == string(jobevent.NodePlain)
}

// QueueAnswered records the return of a minion that a job may be queued for.
func (q *Queues) QueueAnswered(jid, id string) {
	if q.Answered(jid, id) {
		q.lastOf(jid)
	}
}

// QueueTakenOver records that a child node has taken over a job that may be queued for it.
func (q *Queues) QueueTakenOver(jid, id string) {
	if q.TakenOver(jid, id) {
		q.lastOf(jid)
	}
}

// lastOf drops a job without queued peers, unless it is open.
func (q *Queues) lastOf(jid string) {
	if a, ok := q.o.Jobs.State(jid); !ok || !a.Open() {
		q.Drop(jid)
	}
}

// QueueHeard records the expectation of a node below: it has taken over the job and reports its
// minions from now on. Minions that came to it while running the job do not count.
func (q *Queues) QueueHeard(node string, x jobevent.Expectation) {
	//mutant:engine-guests-are-no-takeover
	if !x.Moved && !x.Partial {
		q.QueueTakenOver(x.JID, x.Under(node).Node)
	}
}

// Over drops the publication of a job that is over, unless peers are queued.
func (q *Queues) Over(jid string) {
	if !q.Pending(jid) {
		q.Drop(jid)
	}
}

// Tend drops old publications and ends queued jobs at their deadline. Call it periodically.
func (q *Queues) Tend() {
	q.Sweep()
	q.Due(func(w Waiting) { q.Unqueue(w, engine.Expired) })
}

// TakeUp drops publications of the previous process that are no longer needed: it keeps those
// of open and queued jobs. It returns the open ones that were not sent.
func (q *Queues) TakeUp() (late []Record) {
	q.Since("", 0, func(_ int64, r Record) bool {
		a, ok := q.o.Jobs.State(r.JID)
		switch {
		case ok && a.Open():
			if !r.Published {
				late = append(late, r)
			}
		case r.Until.IsZero() || !q.Pending(r.JID):
			q.Drop(r.JID)
		}
		return true
	})
	return late
}
