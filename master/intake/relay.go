package intake

import (
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// relayer is the sender of several events: a node or a minion.
type relayer struct {
	id     string
	isNode bool
	pretag string
}

// tags returns the tags under which an event is fired.
func (r relayer) tags(tag string) []string {
	if r.pretag == "" {
		return []string{tag}
	}
	return []string{tag, r.pretag + "/" + tag}
}

// relayer determines the role of a sender. A pretag "syndic/ID" is a node's, and must carry its
// own id.
func (s *Service) relayer(id string, e wire.MinionEvent) (relayer, error) {
	r := relayer{id: id, isNode: s.o.Policy.IsNode(id)}
	if e.HasPretag {
		r.pretag = e.Pretag
	}
	own := "syndic/" + id
	if !r.isNode && r.pretag == own {
		if err := s.o.Policy.Join(id); err != nil {
			return r, err
		}
		r.isNode = true
	}
	if !r.isNode {
		s.o.Policy.ActsAsMinion(id)
	}
	if r.isNode && r.pretag != "" && r.pretag != own {
		return r, fmt.Errorf("node %s passes events on under %q, must be %q", id, r.pretag, own)
	}
	return r, nil
}

// relay fires one event of a relayer under its own tag and, as Salt does, under the pretag.
// Reports go to the engine instead. Only nodes may send events of masters.
func (s *Service) relay(r relayer, x wire.TagData) (upTo uint64, err error) {
	refuse := func(err error) (uint64, error) {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEvent, Path: r.id, Err: err})
		return 0, nil
	}
	data, origin, tag := x.Data, "", x.Tag
	switch {
	case !r.isNode:
		for _, tag := range r.tags(x.Tag) {
			if err := s.o.Policy.MayFire(r.id, tag); err != nil {
				return refuse(fmt.Errorf("fire %q under %q: %w", x.Tag, r.pretag, err))
			}
			if !s.withinEventQuota(r.id, len(tag)+len(x.Data)) {
				return 0, nil
			}
		}
	default:
		if err := s.o.Policy.MayRelay(r.id, x.Tag); err != nil {
			return refuse(fmt.Errorf("relay %q: %w", x.Tag, err))
		}
		var taken bool
		if data, upTo, taken = s.receiveFromNode(r.id, x.Tag, data); taken {
			return upTo, nil
		}
		origin = r.id
		// Salt 3008 shows it under the node's name only: this master published nothing.
		if _, kind, _, _ := jobevent.Parse(x.Tag); kind == jobevent.KindPublication && r.pretag != "" {
			tag = ""
		}
	}
	now := s.o.Now()
	if tag != "" {
		if err := s.o.Bus.FireEvent(bus.Event{Tag: tag, Data: data, Stamp: now, Origin: origin}); err != nil {
			return upTo, fmt.Errorf("event %q of %s: %w", x.Tag, r.id, err)
		}
	}
	if r.pretag == "" {
		return upTo, nil
	}
	return upTo, s.o.Bus.FireEvent(bus.Event{Tag: r.pretag + "/" + x.Tag, Data: data, Stamp: now, Origin: origin, Copy: true})
}
