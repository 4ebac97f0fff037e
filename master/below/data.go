package below

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// DataQuestion asks for what masters know of minions: the grains and pillar that those told
// last.
type DataQuestion struct {
	// Tgt and TgtType say of whom, without node groups and places, which each node would
	// read in its own way.
	Tgt     any
	TgtType string
	// Grains and Pillar say what. Neither: the ids alone.
	Grains, Pillar bool
	// Clear forgets it.
	Clear bool

	after string // only ids behind it
}

func (q DataQuestion) load() *wire.Map {
	return wire.NewMap("tgt", q.Tgt, "tgt_type", q.TgtType, "grains", q.Grains, "pillar", q.Pillar, "clear", q.Clear, "after", q.after)
}

func readData(arg wire.Raw) (q DataQuestion, err error) {
	d, err := wire.DecodeMap(arg)
	if err != nil {
		return q, fmt.Errorf("question for data of minions: %w", err)
	}
	tgt, _ := d.Get("tgt")
	return DataQuestion{
		Tgt: tgt, TgtType: d.String("tgt_type"), Grains: d.Bool("grains"), Pillar: d.Bool("pillar"), Clear: d.Bool("clear"), after: d.String("after"),
	}, nil
}

// Data is the answer: what is known of minions, and why which nodes did not say it.
type Data struct {
	// Minions have the grains, the pillar or both, as a map of these names.
	Minions map[string]*wire.Map
	// Away are nodes that did not answer, by their path, each with the reason.
	Away map[string]string
}

const (
	// dataBytes bounds a page of an answer, dataTotal all of one, in bytes as packed.
	dataBytes = 4 << 20
	dataTotal = 128 << 20
	// dataWait is how long the nodes below may take with a page.
	dataWait = 10 * time.Second
)

// errMuchData means that an answer is larger than a master holds.
var errMuchData = errors.New("the data of these minions are more than 128 MiB: name fewer minions")

// Data asks this master and all below.
func (s *Service) Data(ctx context.Context, q DataQuestion) (Data, error) {
	out := Data{Minions: map[string]*wire.Map{}, Away: map[string]string{}}
	for size := 0; ; {
		p, err := s.dataPage(ctx, q)
		if err != nil {
			return out, err
		}
		for _, e := range p.entries {
			if size += len(e.data); size > dataTotal {
				return out, errMuchData
			}
			m, err := wire.DecodeMap(e.data)
			if err != nil {
				return out, fmt.Errorf("data of minion %s: %w", e.id, err)
			}
			out.Minions[e.id] = m
		}
		for path, why := range p.away {
			out.Away[path] = why
		}
		if !p.more {
			return out, nil
		}
		if p.end <= q.after {
			return out, errors.New("the data of minions: an answer does not go on")
		}
		q.after = p.end
	}
}

func (s *Service) answerData(ctx context.Context, arg wire.Raw) (any, error) {
	q, err := readData(arg)
	if err != nil {
		return nil, err
	}
	p, err := s.dataPage(ctx, q)
	if err != nil {
		return nil, err
	}
	return p.load(), nil
}

// dataPage is what this master and those below know, from the first id behind q.after on:
// as much as a page holds. Of several that know a minion the nearest counts.
func (s *Service) dataPage(ctx context.Context, q DataQuestion) (dataPage, error) {
	own, err := s.ownData(q)
	if err != nil {
		return dataPage{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, dataWait)
	defer cancel()
	said, err := s.Ask(ctx, nil, askData, q.load())
	if err != nil {
		return dataPage{}, fmt.Errorf("ask the nodes below: %w", err)
	}
	pages := []dataPage{own}
	away := map[string]string{}
	for node, a := range said {
		p, err := dataPage{}, a.Err
		if err == nil {
			p, err = readDataPage(a.Value)
		}
		if err != nil {
			away[node] = err.Error()
			continue
		}
		for path, why := range p.away {
			away[node+"/"+path] = why
		}
		p.entries = slices.DeleteFunc(p.entries, func(e entry) bool { return s.o.Policy.MayAnswer(node, e.id) != nil })
		pages = append(pages, p)
	}
	out := merged(pages)
	out.away = away
	return out, nil
}

// ownData is the page of this master itself.
func (s *Service) ownData(q DataQuestion) (p dataPage, err error) {
	expr, err := target.Parse(q.Tgt, q.TgtType, target.Options{})
	if err != nil {
		return p, fmt.Errorf("target %v: %w", q.Tgt, err)
	}
	ids := s.o.Keys.List(keys.Accepted)
	slices.Sort(ids)
	size := 0
	for _, id := range ids {
		if id <= q.after || s.o.Policy.IsNode(id) || !expr.Match(s.o.Data.Subject(id)) {
			continue
		}
		known := wire.NewMap()
		if q.Clear {
			had, err := s.o.Data.Clear(id, q.Grains, q.Pillar)
			if err != nil {
				return p, err
			}
			known.Set("cleared", had)
		} else if d := s.o.Data.Get(id); d != nil {
			if q.Grains && d.Grains != nil {
				known.Set("grains", d.Grains)
			}
			if q.Pillar && d.Pillar != nil {
				known.Set("pillar", d.Pillar)
			}
		}
		b, err := wire.Encode(known)
		if err != nil {
			return p, fmt.Errorf("data of minion %s: %w", id, err)
		}
		if size += len(b) + len(id); len(p.entries) > 0 && size > dataBytes {
			p.more = true
			break
		}
		p.entries, p.end = append(p.entries, entry{id, b}), id
	}
	return p, nil
}

// dataPage is a part of an answer: minions sorted by id, and whether there are more.
type dataPage struct {
	entries []entry
	more    bool
	end     string // with more: the id up to which all is told
	away    map[string]string
}

type entry struct {
	id   string
	data wire.Raw
}

func (p dataPage) load() *wire.Map {
	minions, away := wire.NewMap(), wire.NewMap()
	for _, e := range p.entries {
		minions.Set(e.id, e.data)
	}
	for path, why := range p.away {
		away.Set(path, why)
	}
	return wire.NewMap("minions", minions, "more", p.more, "end", p.end, "away", away)
}

// maxAway bounds the nodes that one answer says are away.
const maxAway = 10_000

func readDataPage(raw wire.Raw) (p dataPage, err error) {
	p.away = map[string]string{}
	err = wire.Fields(raw, func(key string, val wire.Raw) (err error) {
		switch key {
		case "more":
			p.more = wire.Truth(val)
		case "end":
			p.end, err = wire.Str(val)
		case "minions":
			err = wire.Fields(val, func(id string, data wire.Raw) error {
				p.entries = append(p.entries, entry{id, data})
				return nil
			})
		case "away":
			err = wire.Fields(val, func(path string, why wire.Raw) error {
				if len(p.away) == maxAway {
					return fmt.Errorf("more than %d nodes are away", maxAway)
				}
				p.away[path], err = wire.Str(why)
				return err
			})
		}
		return err
	})
	slices.SortStableFunc(p.entries, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	return p, err
}

// merged makes one page of several. It ends where the first of those ends that have more,
// so that nothing is passed over. Of equal ids the first page's counts.
func merged(pages []dataPage) (out dataPage) {
	for _, p := range pages {
		if p.more && (!out.more || p.end < out.end) {
			out.more, out.end = true, p.end
		}
	}
	seen := map[string]bool{}
	for _, p := range pages {
		for _, e := range p.entries {
			if !seen[e.id] && (!out.more || e.id <= out.end) {
				seen[e.id] = true
				out.entries = append(out.entries, e)
			}
		}
	}
	slices.SortFunc(out.entries, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	size := 0
	for i, e := range out.entries {
		if size += len(e.data) + len(e.id); i > 0 && size > dataBytes {
			out.entries, out.more, out.end = out.entries[:i], true, out.entries[i-1].id
			break
		}
	}
	return out
}
