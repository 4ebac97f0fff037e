package mine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/above"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/topology"
)

const (
	// fresh is how long an answer of the rest of the tree serves equal queries: in a highstate all
	// minions query at once, and mines are sent once an hour.
	fresh = 5 * time.Second
	// askWait limits the time for an answer of the rest of the tree.
	askWait = 20 * time.Second
	// pageBytes limits one page of an answer to a node, allBytes all pages that a node accepts.
	pageBytes = 4 << 20
	allBytes  = 128 << 20
)

// viaAbove is the source of an entry of the parent.
const viaAbove = "/" // not a valid node name

// other is a minion elsewhere in the tree, with packed entries.
type other struct {
	id      string
	via     string // node directly below that sent it, or viaAbove
	entries map[string]wire.Raw
}

func (o other) bytes() (n int) {
	n = len(o.id)
	for name, raw := range o.entries {
		n += len(name) + len(raw)
	}
	return n
}

// elsewhere returns entries of minions beyond this master: behind the nodes below, except the node
// that asks, and above. For a node, it also includes this master's own minions. For a minion, the
// query counts against its share.
func (s *Service) elsewhere(ctx context.Context, q Question, minion, except string) ([]other, error) {
	key, err := q.key(except)
	if err != nil {
		return nil, err
	}
	if known, ok := s.known(key); ok {
		return known, nil
	}
	//mutant:mine-one-minion
	if minion != "" {
		give, err := s.shares.Take(ctx, minion)
		if err != nil {
			return nil, fmt.Errorf("wait for its other mine queries: %w", err)
		}
		defer give()
		if known, ok := s.known(key); ok {
			return known, nil
		}
	}
	done := s.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(s.o.Ctx, askWait)
		defer cancel()
		return s.gather(ctx, q, except, key)
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.([]other), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// known returns a cached answer that is still fresh.
func (s *Service) known(key string) ([]other, bool) {
	t := s.remembered.get(key)
	if t == nil {
		return nil, false
	}
	age := s.o.Now().Sub(t.at)
	return t.others, age >= 0 && age < fresh
}

// gather asks the nodes below and the parent. For those that are away it uses their last answers.
func (s *Service) gather(ctx context.Context, q Question, except, key string) ([]other, error) {
	d, err := s.o.Data(ctx, below.DataQuestion{
		Tgt: q.Tgt, TgtType: q.TgtType, Mine: true, Names: q.Names, Elsewhere: except == "", Except: except,
	})
	if err != nil {
		return nil, fmt.Errorf("ask the nodes below: %w", err)
	}
	seen := map[string]bool{}
	var out []other
	for _, id := range slices.Sorted(maps.Keys(d.Minions)) {
		o, err := readOther(id, d.Via[id], d.Minions[id].Map("mine"))
		if err != nil {
			return nil, err
		}
		out, seen[id] = append(out, o), true
	}
	up, err := s.askAbove(ctx, q)
	if err != nil {
		d.Away[viaAbove] = err.Error()
	}
	for _, o := range up {
		if !seen[o.id] {
			out, seen[o.id] = append(out, o), true
		}
	}
	if len(d.Away) > 0 {
		out = append(out, s.former(key, d.Away, seen)...)
	}
	slices.SortFunc(out, func(a, b other) int { return strings.Compare(a.id, b.id) })
	s.remembered.put(key, out, s.o.Now())
	return out, nil
}

func readOther(id, via string, m *wire.Map) (other, error) {
	o := other{id: id, via: via, entries: map[string]wire.Raw{}}
	for _, k := range m.Keys() {
		name, ok := k.(string)
		if !ok {
			continue
		}
		v, _ := m.Get(name)
		raw, err := wire.Encode(v)
		if err != nil {
			return o, fmt.Errorf("mine of minion %s: %w", id, err)
		}
		o.entries[name] = raw
	}
	return o, nil
}

// former returns the last answers of nodes that are away, except for minions that another node
// reported now.
func (s *Service) former(key string, away map[string]string, seen map[string]bool) (out []other) {
	if t := s.remembered.get(key); t != nil {
		for _, o := range t.others {
			//mutant:mine-away
			if !seen[o.id] && isAway(o.via, away) {
				out = append(out, o)
			}
		}
	}
	paths := strings.Join(slices.Sorted(maps.Keys(away)), ", ")
	if n := s.warned.Note("away "+paths, s.o.Now()); n > 0 {
		one := slices.Sorted(maps.Keys(away))[0]
		s.o.Log.Warn("mine of child nodes unavailable, using their last report",
			"nodes", strings.ReplaceAll(paths, viaAbove, "the master above"), "reason", away[one], "minions", len(out), "times", n)
	}
	return out
}

// isAway reports whether a node directly below, or one behind it, did not answer.
func isAway(via string, away map[string]string) bool {
	if _, ok := away[via]; ok {
		return true
	}
	for path := range away {
		if strings.HasPrefix(path, via+"/") && via != viaAbove {
			return true
		}
	}
	return false
}

// errEndless means that an answer in pages does not advance.
var errEndless = errors.New("the answer of the master above makes no progress")

// askAbove asks the parent for all that it may reveal to this node. Salt's masters do not know this
// request and answer nothing.
func (s *Service) askAbove(ctx context.Context, q Question) (out []other, err error) {
	if !s.o.Above.Connected() {
		return nil, nil
	}
	for after, size := "", 0; ; {
		raw, err := s.o.Above.Ask(ctx, wire.NewMap("cmd", treeCommand, "tgt", q.Tgt, "tgt_type", q.TgtType, "fun", wire.AnyList(q.Names), "after", after))
		if errors.Is(err, above.ErrTop) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		p, err := readPage(raw)
		if err != nil {
			return nil, fmt.Errorf("read the mine of the parent: %w", err)
		}
		for _, o := range p.others {
			if size += o.bytes(); size > allBytes {
				return nil, errMuch
			}
		}
		out = append(out, p.others...)
		if !p.more {
			return out, nil
		}
		if p.end <= after {
			return nil, errEndless
		}
		after = p.end
	}
}

// page is a part of an answer to a node.
type page struct {
	others []other
	more   bool
	end    string // with more: the last id that is complete
}

func (p page) load() *wire.Map {
	minions := wire.NewMap()
	for _, o := range p.others {
		m := wire.NewMap()
		for _, name := range sortedNames(o.entries) {
			m.Set(name, o.entries[name])
		}
		minions.Set(o.id, m)
	}
	return wire.NewMap("minions", minions, "more", p.more, "end", p.end)
}

func readPage(raw wire.Raw) (p page, err error) {
	if !wire.IsMap(raw) {
		return p, errors.New("not a map; the parent does not know this node as a node")
	}
	err = wire.Fields(raw, func(key string, val wire.Raw) (err error) {
		switch key {
		case "more":
			p.more = wire.Truth(val)
		case "end":
			p.end, err = wire.Str(val)
		case "minions":
			err = wire.Fields(val, func(id string, of wire.Raw) error {
				o := other{id: id, via: viaAbove, entries: map[string]wire.Raw{}}
				err := wire.Fields(of, func(name string, v wire.Raw) error {
					o.entries[name] = v
					return nil
				})
				p.others = append(p.others, o)
				return err
			})
		}
		return err
	})
	return p, err
}

// forNode answers a node directly below: a page of the entries of the rest of the tree that some
// minion below the node may see.
func (s *Service) forNode(ctx context.Context, node string, q Question, after string) (page, error) {
	if _, err := target.Parse(q.Tgt, q.TgtType, target.Options{}); err != nil {
		return page{}, fmt.Errorf("target %s: %w", shown(q.Tgt), err)
	}
	ids := s.minionsOf(node)
	q.Names = slices.DeleteFunc(slices.Clone(q.Names), func(fun string) bool {
		return !slices.ContainsFunc(ids, func(id target.ID) bool { return s.rules.allow(string(id), fun) })
	})
	if len(q.Names) == 0 {
		return page{}, nil
	}
	all, err := s.elsewhere(ctx, q, "", node)
	if err != nil {
		return page{}, err
	}
	j := judge{ids: ids, said: map[string]bool{}}
	var p page
	size := 0
	for _, o := range all {
		if o.id <= after {
			continue
		}
		may := other{id: o.id, entries: map[string]wire.Raw{}}
		for name, raw := range o.entries {
			if ok, err := j.may(raw); err != nil {
				s.o.Entries.hide(o.id, name, err)
			} else if ok {
				may.entries[name] = raw
			}
		}
		if len(may.entries) == 0 {
			continue
		}
		if size += may.bytes(); len(p.others) > 0 && size > pageBytes {
			p.more = true
			break
		}
		p.others, p.end = append(p.others, may), may.id
	}
	return p, nil
}

// minionsOf returns the minions below a node that the node speaks for.
func (s *Service) minionsOf(node string) (out []target.ID) {
	n, ok := s.o.Below(node)
	if !ok {
		return nil
	}
	n.Walk(func(_ string, n topology.Node) {
		for _, m := range n.Minions {
			if s.o.Owns(node, m.ID) {
				out = append(out, target.ID(m.ID))
			}
		}
	})
	return out
}

// judge decides what a node may see. Only the node knows grains and pillar of its minions, so it
// applies those rules itself.
type judge struct {
	ids  []target.ID
	said map[string]bool // by target
}

func (j judge) may(raw wire.Raw) (bool, error) {
	e, err := readEntry(raw)
	if err != nil || !e.held {
		return err == nil, err
	}
	key, err := wire.Encode([]any{e.kind, e.allow})
	if err != nil {
		return false, err
	}
	if said, ok := j.said[string(key)]; ok {
		return said, nil
	}
	to, err := e.allowed(nil)
	if err != nil {
		return false, err
	}
	//mutant:mine-nodes-hear-what-is-allowed
	ok := slices.ContainsFunc(j.ids, func(id target.ID) bool { return to.Certain(id) != target.No })
	j.said[string(key)] = ok
	return ok, nil
}

func sortedNames(m map[string]wire.Raw) []string { return slices.Sorted(maps.Keys(m)) }
