package publish

import (
	"context"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// expectationWait is how long the reply to publish waits for the expectations of nodes below: one
// round trip per tier.
const expectationWait = time.Second

// reply returns the answer to the client. It includes the minions behind nodes, because clients
// wait for all of them. pending lists the nodes without an expectation: the events of the job name
// their minions later.
func (s *Service) reply(ctx context.Context, j *Job) *wire.Map {
	nodes := make([]string, 0, len(j.Nodes))
	for _, n := range j.Nodes {
		nodes = append(nodes, n.ID)
	}
	m := wire.NewMap("jid", j.JID, "minions", j.Answerers(), "missing", j.Missing, "nodes", nodes)
	if len(j.Nodes) == 0 || j.fromAbove { // the requester learns of expectations by events
		return m
	}
	x, ok := s.expected(ctx, j.JID)
	if !ok {
		return m
	}
	if j.grown != nil { // others were published before
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

// expected waits for the expectations of the nodes below: up to a second for mom nodes, and up to
// syndic_wait for Python syndics if publish_syndic_wait is set.
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
		x, ok = s.o.Accounts.Expected(jid)
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
