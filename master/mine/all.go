package mine

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/below"
)

// All returns entries by name and minion, of this master and all below, regardless of allow_tgt,
// for the operator of this master. away maps each node that did not answer to the reason.
func (s *Service) All(ctx context.Context, q Question) (found map[string]map[string]any, away map[string]string, err error) {
	if q, err = q.settled(s.o.Nodegroups, s.o.Where); err != nil {
		return nil, nil, err
	}
	d, err := s.o.Data(ctx, below.DataQuestion{Tgt: q.Tgt, TgtType: q.TgtType, Mine: true, Names: q.Names})
	if err != nil {
		return nil, nil, err
	}
	found = map[string]map[string]any{}
	for id, m := range d.Minions {
		entries := m.Map("mine")
		for _, name := range q.Names {
			packed, ok := entries.Get(name)
			if !ok {
				continue
			}
			v, err := unpacked(packed)
			if err != nil {
				return nil, nil, fmt.Errorf("mine of minion %s: %s: %w", id, name, err)
			}
			if found[name] == nil {
				found[name] = map[string]any{}
			}
			found[name][id] = v
		}
	}
	return found, d.Away, nil
}

// unpacked decodes the value of an entry.
func unpacked(v any) (any, error) {
	raw, err := wire.Encode(v)
	if err != nil {
		return nil, err
	}
	e, err := readEntry(raw)
	if err != nil {
		return nil, err
	}
	return wire.Decode(e.value)
}
