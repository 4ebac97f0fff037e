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
	"github.com/momtree/mom/master/resources"
)

// DataQuestion asks for the last grains and pillar that masters have of minions.
type DataQuestion struct {
	// Tgt and TgtType select minions. Node groups and places must be expanded, because nodes may
	// define others.
	Tgt     any
	TgtType string
	// Grains and Pillar select the data. Neither: ids only.
	Grains, Pillar bool
	// Resources selects the resources that minions of Salt 3008 have registered here.
	Resources bool
	// Mine also selects mine entries with these Names; nil means all.
	Mine  bool
	Names []string
	// Clear deletes the data.
	Clear bool

	// Elsewhere excludes this master's own minions, and Except a node directly below with
	// everything behind it.
	Elsewhere bool
	Except    string

	after string // only ids greater than it
}

func (q DataQuestion) load() *wire.Map {
	m := wire.NewMap("tgt", q.Tgt, "tgt_type", q.TgtType, "grains", q.Grains, "pillar", q.Pillar, "clear", q.Clear, "after", q.after)
	if q.Mine {
		m.Set("mine", true)
	}
	if q.Resources {
		m.Set("resources", true)
	}
	if q.Names != nil {
		m.Set("names", wire.AnyList(q.Names))
	}
	return m
}

// mineAlone reports whether only the mine is asked for. A minion may then share a node's key.
func (q DataQuestion) mineAlone() bool { return q.Mine && !q.Grains && !q.Pillar && !q.Resources }

func readData(arg wire.Raw) (q DataQuestion, err error) {
	d, err := wire.DecodeMap(arg)
	if err != nil {
		return q, fmt.Errorf("question for data of minions: %w", err)
	}
	tgt, _ := d.Get("tgt")
	q = DataQuestion{
		Tgt: tgt, TgtType: d.String("tgt_type"), Grains: d.Bool("grains"), Pillar: d.Bool("pillar"), Mine: d.Bool("mine"), Resources: d.Bool("resources"), Clear: d.Bool("clear"), after: d.String("after"),
	}
	if d.Has("names") {
		q.Names = append([]string{}, wire.Texts(d.List("names"))...)
	}
	return q, nil
}

// Data is the answer: the known data of minions, and errors by node.
type Data struct {
	// Minions maps ids to maps with grains, pillar and mine, as requested. If only the mine is
	// requested, minions without entries are left out.
	Minions map[string]*wire.Map
	// Via maps each minion to the node directly below that reported it. This master's own minions
	// have no entry.
	Via map[string]string
	// Away maps the paths of unreachable nodes to reasons.
	Away map[string]string
}

const (
	// dataBytes bounds a page of an answer, dataTotal a whole answer, in encoded bytes.
	dataBytes = 4 << 20
	dataTotal = 128 << 20
	// dataWait bounds the wait for a page of the nodes below.
	dataWait = 10 * time.Second
)

// errMuchData is returned for an answer larger than dataTotal.
var errMuchData = errors.New("minion data exceeds 128 MiB; select fewer minions")

// Data asks this master and all below.
func (s *Service) Data(ctx context.Context, q DataQuestion) (Data, error) {
	out := Data{Minions: map[string]*wire.Map{}, Via: map[string]string{}, Away: map[string]string{}}
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
			if e.via != "" {
				out.Via[e.id] = e.via
			}
		}
		for path, why := range p.away {
			out.Away[path] = why
		}
		if !p.more {
			return out, nil
		}
		if p.end <= q.after {
			return out, errors.New("data of minions: answer makes no progress")
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

// dataPage returns the next page of this master and the nodes below, with ids greater than
// q.after. If several know a minion, the nearest wins.
func (s *Service) dataPage(ctx context.Context, q DataQuestion) (dataPage, error) {
	var own dataPage
	var err error
	if !q.Elsewhere {
		if own, err = s.ownData(q); err != nil {
			return dataPage{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, dataWait)
	defer cancel()
	said, err := s.Ask(ctx, s.but(q.Except), askData, q.load())
	if err != nil {
		return dataPage{}, fmt.Errorf("query nodes below: %w", err)
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
		//mutant:runners-nodes-speak-for-theirs
		p.entries = slices.DeleteFunc(p.entries, func(e entry) bool { return s.o.Policy.MayAnswer(node, e.id) != nil })
		for i := range p.entries {
			p.entries[i].via = node
		}
		pages = append(pages, p)
	}
	out := merged(pages)
	out.away = away
	return out, nil
}

// but are the nodes right below without one; nil, if it is "": all.
func (s *Service) but(except string) []string {
	if except == "" {
		return nil
	}
	return slices.DeleteFunc(s.o.Policy.Nodes(), func(id string) bool { return id == except })
}

// ownData returns the page of this master's own minions.
func (s *Service) ownData(q DataQuestion) (p dataPage, err error) {
	expr, err := target.Parse(q.Tgt, q.TgtType, target.Options{})
	if err != nil {
		return p, fmt.Errorf("target %v: %w", q.Tgt, err)
	}
	ids := s.o.Keys.List(keys.Accepted)
	slices.Sort(ids)
	size := 0
	for _, id := range ids {
		if id <= q.after || !s.o.Policy.IsMinion(id) && !q.mineAlone() || !expr.Match(s.o.Data.Subject(id)) {
			continue
		}
		known, err := s.known(id, q)
		if err != nil {
			return p, err
		}
		if known == nil {
			continue
		}
		b, err := wire.Encode(known)
		if err != nil {
			return p, fmt.Errorf("data of minion %s: %w", id, err)
		}
		if size += len(b) + len(id); len(p.entries) > 0 && size > dataBytes {
			p.more = true
			break
		}
		p.entries, p.end = append(p.entries, entry{id: id, data: b}), id
	}
	return p, nil
}

// known returns the known data of a minion, or with clear whether any was deleted. nil: none.
func (s *Service) known(id string, q DataQuestion) (*wire.Map, error) {
	if q.Clear {
		had, err := s.o.Data.Clear(id, q.Grains, q.Pillar)
		if err == nil && q.Mine {
			var mine bool
			mine, err = s.o.Mine.Clear(id, q.Names)
			had = had || mine
		}
		return wire.NewMap("cleared", had), err
	}
	out := wire.NewMap()
	if d := s.o.Data.Get(id); d != nil {
		if q.Grains && d.Grains != nil {
			out.Set("grains", d.Grains)
		}
		if q.Pillar && d.Pillar != nil {
			out.Set("pillar", d.Pillar)
		}
	}
	if list := s.o.Resources.Of(id); q.Resources && len(list) > 0 {
		raw, err := resources.Encode(list)
		if err != nil {
			return nil, err
		}
		out.Set("resources", raw)
	}
	if !q.Mine {
		return out, nil
	}
	entries, err := s.o.Mine.Packed(id, q.Names)
	if err != nil {
		return nil, err
	}
	switch {
	case entries.Len() > 0:
		out.Set("mine", entries)
	case q.mineAlone():
		return nil, nil
	}
	return out, nil
}

// dataPage is part of an answer, sorted by id.
type dataPage struct {
	entries []entry
	more    bool
	end     string // if more: complete up to this id
	away    map[string]string
}

type entry struct {
	id   string
	data wire.Raw
	via  string // node directly below that reported it; "": this master
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

// maxAway is the maximum number of unreachable nodes in an answer.
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
				p.entries = append(p.entries, entry{id: id, data: data})
				return nil
			})
		case "away":
			err = wire.Fields(val, func(path string, why wire.Raw) error {
				if len(p.away) == maxAway {
					return fmt.Errorf("more than %d unreachable nodes", maxAway)
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

// merged merges pages. It ends at the earliest end of a page with more, so that no minion is
// skipped. For equal ids the first page wins.
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
