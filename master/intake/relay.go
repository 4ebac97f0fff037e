package intake

import (
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
)

// relayer is who passes events on: a node, or a minion with several at once.
type relayer struct {
	id     string
	isNode bool
	pretag string
}

// tags returns the names under which an event is fired.
func (r relayer) tags(tag string) []string {
	if r.pretag == "" {
		return []string{tag}
	}
	return []string{tag, r.pretag + "/" + tag}
}

// relayer tells in which role the sender of a bulk of events speaks. A pretag
// under "syndic/" is a node's, and must be its own.
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

// relay fires one event that was passed on, under its own name and under the
// relayer's, as Salt does; words on jobs go to the engine, which has them fired. What only
// masters may say is believed of nodes alone.
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
				return refuse(fmt.Errorf("a minion may not fire %q under %q: %w", x.Tag, r.pretag, err))
			}
			if !s.mayBring(r.id, len(tag)+len(x.Data)) {
				return 0, nil
			}
		}
	default:
		if err := s.o.Policy.MayRelay(r.id, x.Tag); err != nil {
			return refuse(fmt.Errorf("a node may not pass %q on: %w", x.Tag, err))
		}
		var taken bool
		if data, upTo, taken = s.fromBelow(r.id, x.Tag, data); taken {
			return upTo, nil
		}
		origin = r.id
		// Salt 3008 shows it under the name of the node alone: this master publishes nothing.
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
