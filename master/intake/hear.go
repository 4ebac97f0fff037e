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
	data, err := s.masked(tag, data)
	if err != nil {
		s.o.Server.Refused("word on a job", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
		return nil, 0, true
	}
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
			return nil, s.o.Jobs.ReceiveReports(node, x), true
		}
	case jobevent.KindNew:
		if ours { // it has told its expectation before
			break
		}
		var x jobevent.New
		if x, err = jobevent.DecodeNew(id, data); err == nil {
			upTo = s.hearNew(node, x, x.TgtType == "glob" && x.Tgt == "*")
		}
	}
	if err != nil {
		s.o.Server.Refused("word on a job", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
	}
	return data, upTo, false
}

// masked hides secrets in the arguments of a job that an event from below shows, also one
// that comes under the name of a node further down.
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

// hearExpectation takes who a node found for a job.
func (s *Service) hearExpectation(node string, x jobevent.Expectation) (upTo uint64) {
	x = s.o.Policy.Allowed(node, x)
	if !x.Ours {
		s.o.Policy.Claims().See(node, false, x.Minions...)
	}
	upTo = s.o.Jobs.ReceiveReports(node, x)
	s.o.Publications.QueueHeard(node, x)
	return upTo
}

// hearNew takes who a Python master found for a job, as its event of the new job says:
// that of Salt 3008 says it nowhere else. all: the node has no other minions.
func (s *Service) hearNew(node string, x jobevent.New, all bool) (upTo uint64) {
	allowed := s.o.Policy.Allowed(node, jobevent.Expectation{JID: x.JID, Minions: x.Minions})
	s.o.Policy.Claims().See(node, all, allowed.Minions...)
	upTo = s.o.Jobs.ReceiveNewJob(node, allowed)
	s.o.Publications.QueueTakenOver(x.JID, node)
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
	switch kind {
	case jobevent.KindExpectation:
		if x, err := jobevent.DecodeExpectation(job, data); err == nil && x.Ours {
			upTo = s.hearExpectation(node+"/"+id, x)
		}
	case jobevent.KindNew: // a master of Salt 3008 fires that of its syndics under their names alone
		if x, err := jobevent.DecodeNew(job, data); err == nil {
			upTo = s.hearNew(node, x, false)
		}
	}
	return upTo, true
}
