package publications

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/retention"
)

// maxListed is the maximum number of ids in one publication of a judged job. A longer list is
// split by connection: 100,000 ids are 2 MB, which would go to every minion.
const maxListed = 512

// sendJudged publishes a job whose minions were checked: mom nodes receive the target, minions the
// list. An unidentified connection may be a minion or a stock syndic, which does not know the
// list. It receives the list or, if plain, the target.
func (s *Service) sendJudged(p, asked wire.Publication, plain bool, topics []string, to *zmtp.Choice) error {
	ids, err := jobfields.NarrowedIDs(p)
	if err != nil {
		return err
	}
	parts := splitAudience(s.o.NodeConns(), s.o.Known(), to)
	below := []string{channel.ToSyndics}
	if len(parts.nodes.IDs) > 0 {
		if err := s.sendTo(asked, below, parts.nodes); err != nil {
			return err
		}
	}
	strangers := p
	//mutant:target-list-strangers
	if plain {
		strangers = asked
	}
	if len(ids) <= maxListed {
		if !plain {
			return s.sendTo(p, topics, parts.allButNodes)
		}
		if err := s.sendTo(p, topics, parts.minions); err != nil {
			return err
		}
		return s.sendTo(strangers, topics, parts.strangers)
	}
	rest := maps.Clone(parts.minions.IDs)
	for part := range slices.Chunk(ids, maxListed) {
		conns := map[uint64]bool{}
		for _, id := range part {
			for _, c := range s.o.MinionConns(id) {
				if parts.minions.IDs[c] { // a proxy has many ids on one connection
					conns[c] = true
					delete(rest, c)
				}
			}
		}
		some, err := jobfields.NarrowFurther(p, part)
		if err != nil {
			return err
		}
		if err := s.sendTo(some, channel.TopicsOf(part)[:len(part)], &zmtp.Choice{IDs: conns}); err != nil {
			return err
		}
	}
	none, err := jobfields.NarrowFurther(p, nil) // keeps serials without gaps
	if err != nil {
		return err
	}
	if err := s.sendTo(none, below, &zmtp.Choice{IDs: rest}); err != nil {
		return err
	}
	return s.sendTo(strangers, topics, parts.strangers)
}

// audience holds the subscribers by kind, without spared ones.
type audience struct {
	nodes, minions, strangers, allButNodes *zmtp.Choice
}

// splitAudience divides the connections. to is nil for all, or all but some.
func splitAudience(nodes, known map[uint64]bool, to *zmtp.Choice) audience {
	spared := map[uint64]bool{}
	if to != nil {
		spared = to.IDs
	}
	a := audience{
		nodes: &zmtp.Choice{IDs: map[uint64]bool{}}, minions: &zmtp.Choice{IDs: map[uint64]bool{}},
		strangers: &zmtp.Choice{IDs: maps.Clone(spared), But: true}, allButNodes: &zmtp.Choice{IDs: maps.Clone(spared), But: true},
	}
	for c := range known {
		a.strangers.IDs[c] = true
		if !nodes[c] && !spared[c] {
			a.minions.IDs[c] = true
		}
	}
	for c := range nodes {
		a.strangers.IDs[c], a.allButNodes.IDs[c] = true, true
		if !spared[c] {
			a.nodes.IDs[c] = true
		}
	}
	return a
}

// forPeer narrows a kept publication to one peer that fetches it: a node gets the target, a minion
// its own id. The result is false if the publication is the same for all.
func forPeer(r retention.Record, id string, node bool) (retention.Record, bool, error) {
	p, err := wire.ParsePublication(r.Pub)
	if err != nil {
		return r, false, fmt.Errorf("read publication %s: %w", r.JID, err)
	}
	asked, _, narrowed, err := jobfields.Requested(p)
	if err != nil || !narrowed {
		return r, false, err
	}
	if !node {
		ids, err := jobfields.NarrowedIDs(p)
		if err != nil {
			return r, false, err
		}
		if !slices.Contains(ids, id) {
			ids = nil
		} else {
			ids = []string{id}
		}
		if asked, err = jobfields.NarrowFurther(p, ids); err != nil {
			return r, false, err
		}
	}
	r.Pub, err = asked.Encode()
	return r, true, err
}
