package publications

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/driver"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/retention"
)

// maxQueue bounds how far in the future the deadline of a queued job may be.
const maxQueue = 366 * 24 * time.Hour

// QueueField carries the deadline of a queued job: in a publish load or its
// kwargs, and in a publication. Seconds since 1970.
const QueueField = "queue_until"

// QueueUntil reads the deadline of a job; zero: it is not queued.
func (s *Service) QueueUntil(p wire.PublishLoad, extra *wire.Map) (time.Time, error) {
	v, ok := extra.Get(QueueField)
	if !ok && p.Extra != nil {
		v, ok = p.Extra.Get(QueueField)
	}
	if raw, is := v.(wire.Raw); is {
		var err error
		if v, err = wire.Decode(raw); err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", QueueField, err)
		}
	}
	if !ok || v == nil {
		return time.Time{}, nil
	}
	seconds := wire.NewMap("v", v).Float("v")
	until := time.Unix(int64(seconds), 0)
	if left := until.Sub(s.o.Now()); seconds <= 0 || left > maxQueue {
		return time.Time{}, fmt.Errorf("%s: %v is not a time within a year, in seconds since 1970", QueueField, v)
	}
	return until, nil
}

// QueueAway keeps a queued job for those that the ledger has just found away:
// direct minions, and nodes that were not reached, with the minions behind them.
func (s *Service) QueueAway(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState) {
	if !s.Queues() {
		return
	}
	var minions []string
	away := map[string]map[string]string{}
	for path, s := range nodes {
		if !strings.Contains(path, "/") && (s == jobevent.NodeUnreachable || s == jobevent.NodeSilent) {
			away[path] = map[string]string{}
		}
	}
	for id, g := range gone {
		if g.Reason != ledger.Queued {
			continue
		}
		if g.Path == "" {
			minions = append(minions, id)
			continue
		}
		root, _, _ := strings.Cut(g.Path, "/")
		if away[root] != nil {
			away[root][id] = g.Path
		}
	}
	s.Add(jid, minions, away)
}

// unqueue tells that those a queued job still waits for will not get it.
func (s *Service) unqueue(w retention.Waiting, reason string) {
	paths := map[string]string{}
	for id := range w.Minions {
		paths[id] = ""
	}
	for _, known := range w.Nodes {
		maps.Copy(paths, known)
	}
	s.o.Log.Info("A queued job is over for minions that did not return", "jid", w.JID, "reason", reason, "minions", len(paths))
	if len(paths) == 0 {
		return
	}
	s.o.Jobs.Overdue(w.JID, reason, paths)
}

// TakeUpQueues takes up the queued jobs of an earlier life.
func (s *Service) TakeUpQueues() {
	for _, r := range s.Records() {
		if err := s.takeUpQueued(r); err != nil {
			s.o.Log.Error("A queued job could not be taken up again", "jid", r.JID, "err", err)
		}
	}
}

// takeUpQueued finds out again for whom the queued jobs of an earlier life wait.
func (s *Service) takeUpQueued(r retention.Record) error {
	ctx, cancel := driver.Write()
	defer cancel()
	_, ok, err := s.o.Store.Local().GetLoad(ctx, r.JID)
	if err != nil {
		return err
	}
	if !ok { // it was killed before the job was stored, and nobody was told of it
		s.o.Log.Warn("A queued job was never stored and is given up", "jid", r.JID)
		s.Drop(r.JID)
		return nil
	}
	xs, err := s.o.Store.Local().GetExpectations(ctx, r.JID)
	if err != nil {
		return err
	}
	rets, err := s.o.Store.Outcomes(ctx, r.JID)
	if err != nil {
		return err
	}
	var minions []string
	nodes := map[string]map[string]string{}
	for _, id := range s.o.Nodes() {
		nodes[id] = map[string]string{}
	}
	for _, x := range xs {
		if len(x.Minions) > 0 && len(x.Missing) == 0 {
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
			case why != ledger.Queued:
			case x.Node == "":
				minions = append(minions, id)
			case nodes[root] != nil:
				nodes[root][id] = x.Node
			}
		}
	}
	s.Add(r.JID, minions, nodes)
	for _, ret := range rets {
		s.Answered(r.JID, ret.ID)
		for _, known := range nodes {
			delete(known, ret.ID)
		}
	}
	return nil
}

// QueueAnswered notes the return of a minion, or the word of a node, for a job
// that may be queued for it.
func (s *Service) QueueAnswered(jid, id string) {
	if !s.Answered(jid, id) {
		return
	}
	if a, ok := s.o.Jobs.State(jid); !ok || !a.Open() {
		s.Drop(jid)
	}
}

// dequeue takes a queued job back: minions that have not been given it will not
// get it. Nodes below are told by the publication of the same name.
func (s *Service) dequeue(jid string) (retention.Waiting, error) {
	w, err := s.Dequeue(jid)
	if err != nil {
		return w, err
	}
	s.unqueue(w, ledger.Dequeued)
	return w, nil
}

// StillQueued tells whether the kwargs of a stored load name a deadline to come.
func (s *Service) StillQueued(kwargs wire.Raw) bool {
	extra, err := wire.DecodeMap(kwargs)
	if err != nil {
		return false
	}
	until, err := s.QueueUntil(wire.PublishLoad{}, extra)
	return err == nil && until.After(s.o.Now())
}
