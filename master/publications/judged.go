package publications

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/judged"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/retention"
)

// listed is how many ids one publication of a judged job names. Beyond it each minion whose
// connection is known is given a part of the list: 100,000 ids are 2 MB, which 100,000
// minions would else be sent each.
const listed = 512

// sendJudged publishes a job whose minions were judged: nodes of ours are given the target,
// minions the list. Who does not say who it is may be a minion, or a syndic of Salt's, which
// knows no list of ours. It is given the list, or the target, if that was judged by its form.
func (s *Service) sendJudged(p, asked wire.Publication, plain bool, topics []string, to *zmtp.Choice) error {
	ids, err := judged.IDs(p)
	if err != nil {
		return err
	}
	parts := split(s.o.NodeConns(), s.o.Known(), to)
	below := []string{channel.ToSyndics}
	if len(parts.nodes.IDs) > 0 {
		if err := s.hand(asked, below, parts.nodes); err != nil {
			return err
		}
	}
	strangers := p
	//mutant:target-list-strangers
	if plain {
		strangers = asked
	}
	if len(ids) <= listed {
		if !plain {
			return s.hand(p, topics, parts.allButNodes)
		}
		if err := s.hand(p, topics, parts.minions); err != nil {
			return err
		}
		return s.hand(strangers, topics, parts.strangers)
	}
	rest := maps.Clone(parts.minions.IDs)
	for part := range slices.Chunk(ids, listed) {
		conns := map[uint64]bool{}
		for _, id := range part {
			for _, c := range s.o.MinionConns(id) {
				if parts.minions.IDs[c] { // a proxy has many ids on one connection
					conns[c] = true
					delete(rest, c)
				}
			}
		}
		some, err := judged.Narrow(p, part)
		if err != nil {
			return err
		}
		if err := s.hand(some, channel.TopicsOf(part)[:len(part)], &zmtp.Choice{IDs: conns}); err != nil {
			return err
		}
	}
	none, err := judged.Narrow(p, nil) // so that they see no gap in the numbers
	if err != nil {
		return err
	}
	if err := s.hand(none, below, &zmtp.Choice{IDs: rest}); err != nil {
		return err
	}
	return s.hand(strangers, topics, parts.strangers)
}

// audience are the subscribers by what is known of them, without those that are spared.
type audience struct {
	nodes, minions, strangers, allButNodes *zmtp.Choice
}

// split takes the connections apart; to is everybody, or everybody but those spared.
func split(nodes, known map[uint64]bool, to *zmtp.Choice) audience {
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

// forPeer gives a kept publication for one peer that fetches it: a node is given the target,
// a minion its own id. What is not narrowed is for all.
func forPeer(r retention.Record, id string, node bool) (retention.Record, bool, error) {
	p, err := wire.ParsePublication(r.Pub)
	if err != nil {
		return r, false, fmt.Errorf("read publication %s: %w", r.JID, err)
	}
	asked, _, narrowed, err := judged.Read(p)
	if err != nil || !narrowed {
		return r, false, err
	}
	if !node {
		ids, err := judged.IDs(p)
		if err != nil {
			return r, false, err
		}
		if !slices.Contains(ids, id) {
			ids = nil
		} else {
			ids = []string{id}
		}
		if asked, err = judged.Narrow(p, ids); err != nil {
			return r, false, err
		}
	}
	r.Pub, err = asked.Encode()
	return r, true, err
}
