package intake

import (
	"fmt"
	"maps"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
)

// receiveFromNode processes an event of a node below. Reports go to the engine; acknowledge them
// once records up to upTo are stored. If taken is false, fire the returned data, which is
// rewritten for this master.
func (s *Service) receiveFromNode(node, tag string, data wire.Raw) (_ wire.Raw, upTo uint64, taken bool) {
	data, err := s.masked(tag, data)
	if err != nil {
		s.o.Server.Refused("report", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
		return nil, 0, true
	}
	if upTo, is := s.receiveCopy(node, tag, data); is {
		return data, upTo, false
	}
	if strings.HasPrefix(tag, "topology/") {
		return treewatch.FromBelow(node, data), 0, false
	}
	id, kind, _, ok := jobevent.Parse(tag)
	if !ok || !jid.Valid(id) {
		return data, 0, false
	}
	ours := s.o.Peers.Announces(presence.Syndic, node)
	switch kind {
	case jobevent.KindExpectation:
		var x jobevent.Expectation
		// A mom node behind a Python master is repeated under the name of that master.
		if x, err = jobevent.DecodeExpectation(id, data); err == nil && (ours || !x.Ours) {
			return nil, s.receiveExpectation(node, x), true
		}
	case jobevent.KindMissing:
		var x jobevent.Missing
		if x, err = jobevent.DecodeMissing(id, data); err == nil {
			//mutant:intake-counted-behind-may-be-missed
			maps.DeleteFunc(x.Minions, func(minion string, _ jobevent.Absence) bool {
				return !s.o.Jobs.CountsBehind(id, node, minion) && !s.o.Policy.Owned(node, id, minion)
			})
			return nil, s.o.Jobs.ReceiveReports(node, x), true
		}
	case jobevent.KindNew:
		if ours { // it sent its expectation before
			break
		}
		var x jobevent.New
		if x, err = jobevent.DecodeNew(id, data); err == nil {
			upTo = s.receiveNewJob(node, x, x.TgtType == "glob" && x.Tgt == "*")
		}
	}
	if err != nil {
		s.o.Server.Refused("report", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
	}
	return data, upTo, false
}

// masked masks secrets in the job arguments that an event of a node shows, including copies under
// the name of a node further down.
func (s *Service) masked(tag string, data wire.Raw) (wire.Raw, error) {
	inner := tag
	for {
		rest, ok := strings.CutPrefix(inner, "syndic/")
		if !ok {
			break
		}
		_, inner, _ = strings.Cut(rest, "/")
	}
	if _, kind, _, _ := jobevent.Parse(inner); kind != jobevent.KindNew && kind != jobevent.KindPublication {
		return data, nil
	}
	return s.o.Mask.Load(data)
}

// receiveExpectation processes the expectation of a node.
func (s *Service) receiveExpectation(node string, x jobevent.Expectation) (upTo uint64) {
	x = s.o.Policy.Allowed(node, x)
	if !x.Ours {
		s.o.Policy.Claims().See(node, false, x.Minions...)
	}
	upTo = s.o.Jobs.ReceiveReports(node, x)
	s.o.Publications.QueueHeard(node, x)
	return upTo
}

// receiveNewJob processes the new-job event of a Python master: Salt 3008 names its minions only
// there. all: the node has no other minions.
func (s *Service) receiveNewJob(node string, x jobevent.New, all bool) (upTo uint64) {
	allowed := s.o.Policy.Allowed(node, jobevent.Expectation{JID: x.JID, Minions: x.Minions})
	s.o.Policy.Claims().See(node, all, allowed.Minions...)
	upTo = s.o.Jobs.ReceiveNewJob(node, allowed)
	s.o.Publications.QueueTakenOver(x.JID, node)
	return upTo
}

// receiveCopy processes an event that a Python master below passes on under the name of one of its
// own nodes. The event is fired as well. is reports whether it was one.
func (s *Service) receiveCopy(node, tag string, data wire.Raw) (upTo uint64, is bool) {
	rest, ok := strings.CutPrefix(tag, "syndic/")
	if !ok || s.o.Peers.Announces(presence.Syndic, node) {
		return 0, false
	}
	id, inner, _ := strings.Cut(rest, "/")
	if id == "" || inner == "" {
		return 0, false
	}
	s.o.Policy.Passed(id, node)
	job, kind, _, ok := jobevent.Parse(inner)
	if !ok || !jid.Valid(job) {
		return 0, true
	}
	s.o.Jobs.IsNode(job, id)
	switch kind {
	case jobevent.KindExpectation:
		if x, err := jobevent.DecodeExpectation(job, data); err == nil && x.Ours {
			upTo = s.receiveExpectation(node+"/"+id, x)
		}
	case jobevent.KindNew: // a Salt 3008 master fires the events of its syndics under their names only
		if x, err := jobevent.DecodeNew(job, data); err == nil {
			upTo = s.receiveNewJob(node, x, false)
		}
	}
	return upTo, true
}
