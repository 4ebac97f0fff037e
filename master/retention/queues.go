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

// QueuesOptions of [NewQueues]. None may be left out.
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
	// Nodes are those right below.
	Nodes func() []string
	Log   *slog.Logger
}

// Queues are a log with the queues of jobs for minions and nodes that are away: who is
// found away is queued for, until it answers, the deadline has passed, or the job is taken
// back. The master and the simulator (lab/sim) have it.
type Queues struct {
	*Log
	o QueuesOptions
}

// NewQueues has nothing to open or close. The queues of an earlier life are taken up by
// [Queues.TakeUpQueues].
func NewQueues(l *Log, o QueuesOptions) *Queues { return &Queues{l, o} }

// QueueAway keeps a queued job for those that the ledger has just found away:
// direct minions, and nodes that were not reached, with the minions behind them. Those
// that are found when the job is queued no more will not get it.
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
		default: // behind a node that is here: it has the job, or knows who has
			below[id] = g.Path
		}
		paths[id] = g.Path
	}
	q.Settled(jid, settled)
	if queued := q.Add(jid, minions, away) && q.AddBelow(jid, below); !queued && len(paths) > 0 {
		q.o.Jobs.Overdue(jid, engine.Expired, paths)
	}
}

// Unqueue tells that those a queued job still waits for will not get it. Of a job that is
// taken back the nodes below tell by themselves for whom that was in time.
func (q *Queues) Unqueue(w Waiting, reason string) {
	paths := map[string]string{}
	if reason == engine.Expired {
		//mutant:engine-queued-below-expire
		maps.Copy(paths, w.Below)
	}
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

// TakeUpQueues takes up the queued jobs of an earlier life.
func (q *Queues) TakeUpQueues(ctx context.Context) {
	for _, r := range q.Records() {
		if err := q.takeUp(ctx, r); err != nil {
			q.o.Log.Error("queued job not resumed", "jid", r.JID, "err", err)
		}
	}
}

// takeUp finds out again for whom the queued jobs of an earlier life wait.
func (q *Queues) takeUp(ctx context.Context, r Record) error {
	_, ok, err := q.o.Store.GetLoad(ctx, r.JID)
	if err != nil {
		return err
	}
	if !ok { // it was killed before the job was stored, and nobody was told of it
		q.o.Log.Warn("queued job abandoned: it was never stored", "jid", r.JID)
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
		if len(x.Minions) > 0 && len(x.Missing) == 0 && took(x) {
			delete(nodes, x.Node) // it has the job; if in doubt it is given it once more and knows it by its jid
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

// took tells whether a node has taken a job over, by what is stored of it: minions may be there
// that came at work on it.
func took(x returners.Expectation) bool {
	return x.State == string(jobevent.NodeAnswered) || x.State == string(jobevent.NodePlain)
}

// QueueAnswered notes the return of a minion that a job may be queued for.
func (q *Queues) QueueAnswered(jid, id string) {
	if q.Answered(jid, id) {
		q.lastOf(jid)
	}
}

// QueueTakenOver notes that a node right below has taken a job over which may be queued for it.
func (q *Queues) QueueTakenOver(jid, id string) {
	if q.TakenOver(jid, id) {
		q.lastOf(jid)
	}
}

// lastOf drops a job that nobody is queued for any more, unless it is open.
func (q *Queues) lastOf(jid string) {
	if a, ok := q.o.Jobs.State(jid); !ok || !a.Open() {
		q.Drop(jid)
	}
}

// QueueHeard notes what a node below found for a job: it has taken the job over, and tells of
// those behind it from now on. That minions are there which came at work on the job says
// nothing of the others.
func (q *Queues) QueueHeard(node string, x jobevent.Expectation) {
	//mutant:engine-guests-are-no-takeover
	if !x.Moved && !x.Partial {
		q.QueueTakenOver(x.JID, x.Under(node).Node)
	}
}

// Over forgets the publication of a job that is over for all but queued minions.
func (q *Queues) Over(jid string) {
	if !q.Pending(jid) {
		q.Drop(jid)
	}
}

// Tend drops what is too old and ends queued jobs at their deadline.
func (q *Queues) Tend() {
	q.Sweep()
	q.Due(func(w Waiting) { q.Unqueue(w, engine.Expired) })
}

// TakeUp keeps of an earlier life what is still wanted: the publications of open jobs, and
// queued ones. It gives the open ones that were not handed out.
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
