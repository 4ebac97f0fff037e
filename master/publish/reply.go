package publish

import (
	"context"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// expectationWait bounds how long the reply to publish waits for the nodes below to name
// their minions. They do it at once, so it takes one round trip for each tier.
const expectationWait = time.Second

// reply is the answer to the client. Clients wait until all of its minions have returned, so
// it names those behind nodes too. pending names the nodes that have not told theirs: there
// may be more minions, which the events of the job name later.
func (s *Service) reply(ctx context.Context, j *Job) *wire.Map {
	nodes := make([]string, 0, len(j.Nodes))
	for _, n := range j.Nodes {
		nodes = append(nodes, n.ID)
	}
	m := wire.NewMap("jid", j.JID, "minions", j.Answerers(), "missing", j.Missing, "nodes", nodes)
	if len(j.Nodes) == 0 || j.fromAbove { // who gave it hears of the expectation by its events
		return m
	}
	x, ok := s.expected(ctx, j.JID)
	if !ok {
		return m
	}
	if j.grown != nil { // the others were published before
		x.Minions = slices.DeleteFunc(x.Minions, func(id string) bool { return !j.grown.asks(id) })
	}
	m.Set("minions", x.Minions)
	m.Set("own", j.Answerers())
	m.Set("missing", slices.DeleteFunc(slices.Clone(j.Missing), func(id string) bool {
		_, found := slices.BinarySearch(x.Minions, id)
		return found
	}))
	if pending := slices.Concat(x.Pending, x.Silent); len(pending) > 0 {
		m.Set("pending", pending)
	}
	return m
}

// expected waits until the nodes below have told who has to answer a job: those of ours for a
// second, Python syndics for syndic_wait if publish_syndic_wait is set.
func (s *Service) expected(ctx context.Context, jid string) (x engine.Expected, ok bool) {
	ours := time.NewTimer(expectationWait)
	defer ours.Stop()
	var wait time.Duration
	if s.o.Config.PublishSyndicWait {
		wait = s.o.Config.SyndicWait
	}
	python := time.NewTimer(wait)
	defer python.Stop()
	oursOver, pythonOver := false, wait == 0
	for {
		x, ok = s.o.Jobs.Expected(jid)
		if !ok || (len(x.Pending) == 0 || oursOver) && (len(x.Silent) == 0 || pythonOver) {
			return x, ok
		}
		select {
		case <-x.Changed:
		case <-ours.C:
			oursOver = true
		case <-python.C:
			pythonOver = true
		case <-ctx.Done():
			return x, ok
		case <-s.o.Ctx.Done():
			return x, ok
		}
	}
}
