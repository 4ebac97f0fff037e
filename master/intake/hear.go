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

// fromBelow takes what a node says in an event. Words on jobs go to the engine, which has
// them told: they have to be stored up to a number before they are acknowledged. What is
// to be fired as it is comes back as seen from this master, with taken false.
func (s *Service) fromBelow(node, tag string, data wire.Raw) (_ wire.Raw, upTo uint64, taken bool) {
	if upTo, is := s.fromBeyond(node, tag, data); is {
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
	var err error
	switch kind {
	case jobevent.KindExpectation:
		var x jobevent.Expectation
		// One of ours behind a Python master comes once more under the name of the node that says it.
		if x, err = jobevent.DecodeExpectation(id, data); err == nil && (ours || !x.Ours) {
			return nil, s.hearExpectation(node, x), true
		}
	case jobevent.KindMissing:
		var x jobevent.Missing
		if x, err = jobevent.DecodeMissing(id, data); err == nil {
			maps.DeleteFunc(x.Minions, func(minion string, _ jobevent.Absence) bool { return !s.o.Policy.Owned(node, id, minion) })
			return nil, s.o.Jobs.Hear(node, x), true
		}
	case jobevent.KindNew:
		if data, err = s.o.Mask.Load(data); err != nil || ours { // it has told its expectation before
			break
		}
		var x jobevent.New
		if x, err = jobevent.DecodeNew(id, data); err == nil { // from a Python syndic this may be the first word
			allowed := s.o.Policy.Allowed(node, jobevent.Expectation{JID: id, Minions: x.Minions})
			s.o.Policy.Claims().See(node, x.TgtType == "glob" && x.Tgt == "*", allowed.Minions...)
			upTo = s.o.Jobs.Learn(node, allowed)
			s.o.Publications.QueueTakenOver(id, node)
		}
	}
	if err != nil {
		s.o.Server.Refused("word on a job", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
	}
	return data, upTo, false
}

// hearExpectation takes who a node found for a job.
func (s *Service) hearExpectation(node string, x jobevent.Expectation) (upTo uint64) {
	x = s.o.Policy.Allowed(node, x)
	if !x.Ours {
		s.o.Policy.Claims().See(node, false, x.Minions...)
	}
	upTo = s.o.Jobs.Hear(node, x)
	s.o.Publications.QueueHeard(node, x)
	return upTo
}

// fromBeyond reads an event that a Python master below passes on under the name of
// a node of its own; it is fired as it is as well. is: it was such a one.
func (s *Service) fromBeyond(node, tag string, data wire.Raw) (upTo uint64, is bool) {
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
	if kind == jobevent.KindExpectation {
		if x, err := jobevent.DecodeExpectation(job, data); err == nil && x.Ours {
			upTo = s.hearExpectation(node+"/"+id, x)
		}
	}
	return upTo, true
}
