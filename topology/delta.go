package topology

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Delta is the set of changes of a tree between two revisions. It carries the newest state, so
// applying it twice does no harm.
type Delta struct {
	From, To uint64
	Parts    []Part // parents first
}

// Part is the change of one node.
type Part struct {
	Path    string   // relative to the reporting node; "" is that node
	Head    *Node    // without Vitals, Minions and Nodes; nil: unchanged
	Vitals  *Vitals  // nil: unchanged
	Minions []Minion // new or changed
	Gone    []string // removed minions
	Nodes   []Node   // new nodes, with their subtrees
	Left    []string // removed nodes
}

// Map encodes the delta for a report to a parent.
func (d Delta) Map() *value.Map {
	parts := make([]any, 0, len(d.Parts))
	for _, p := range d.Parts {
		parts = append(parts, p.wire())
	}
	return wire.NewMap("from", d.From, "to", d.To, "parts", parts)
}

func (p Part) wire() *wire.Map {
	m := wire.NewMap("path", p.Path)
	if h := p.Head; h != nil {
		head := wire.NewMap("role", h.Role, "version", h.Version, "state", string(h.State),
			"since", h.Since.UTC().Format(time.RFC3339Nano), "life", h.Life, "key", h.Key)
		if h.Blind {
			head.Set("blind", true)
		}
		if len(h.Was) > 0 {
			head.Set("was", wasWire(h.Was))
		}
		if len(h.Problems) > 0 {
			head.Set("problems", problemsWire(h.Problems))
		}
		m.Set("head", head)
	}
	if p.Vitals != nil {
		m.Set("vitals", p.Vitals.wire())
	}
	list := func(key string, n int, at func(int) any) {
		if n == 0 {
			return
		}
		out := make([]any, n)
		for i := range out {
			out[i] = at(i)
		}
		m.Set(key, out)
	}
	list("minions", len(p.Minions), func(i int) any {
		return []any{p.Minions[i].ID, string(p.Minions[i].State), p.Minions[i].Version}
	})
	list("gone", len(p.Gone), func(i int) any { return p.Gone[i] })
	list("nodes", len(p.Nodes), func(i int) any { return p.Nodes[i].Map() })
	list("left", len(p.Left), func(i int) any { return p.Left[i] })
	return m
}

// DeltaFrom decodes what [Delta.Map] encoded.
func DeltaFrom(m *value.Map) (Delta, error) {
	var d Delta
	var ok bool
	if d.From, ok = revisionOf(m, "from"); !ok {
		return d, errors.New("delta without from revision")
	}
	if d.To, ok = revisionOf(m, "to"); !ok || d.To < d.From {
		return d, errors.New("delta without valid to revision")
	}
	for _, v := range m.List("parts") {
		pm, ok := v.(*wire.Map)
		if !ok {
			return d, errors.New("delta: part is not a map")
		}
		p, err := partFrom(pm)
		if err != nil {
			return d, fmt.Errorf("delta at %q: %w", p.Path, err)
		}
		d.Parts = append(d.Parts, p)
	}
	return d, nil
}

func revisionOf(m *wire.Map, key string) (uint64, bool) {
	v, _ := m.Get(key)
	switch n := v.(type) {
	case int64:
		return uint64(max(n, 0)), n >= 0
	case uint64:
		return n, true
	}
	return 0, false
}

func partFrom(m *wire.Map) (p Part, err error) {
	p.Path = m.String("path")
	depth := 0
	if p.Path != "" {
		depth = strings.Count(p.Path, "/") + 1
	}
	if h := m.Map("head"); h != nil {
		p.Head = &Node{
			Role: h.String("role"), Version: h.String("version"), State: state(h.String("state")), Life: h.String("life"), Key: h.String("key"),
			Blind: h.Bool("blind"), Was: wasFrom(h.List("was")), Problems: problemsFrom(h.List("problems")),
		}
		p.Head.Since, _ = time.Parse(time.RFC3339Nano, h.String("since"))
	}
	if v := m.Map("vitals"); v != nil {
		vitals := vitalsFrom(v)
		p.Vitals = &vitals
	}
	for _, v := range m.List("minions") {
		min, err := minionFrom(v)
		if err != nil {
			return p, err
		}
		p.Minions = append(p.Minions, min)
	}
	for _, v := range m.List("nodes") {
		c, ok := v.(*wire.Map)
		if !ok {
			return p, errors.New("node is not a map")
		}
		n, err := fromMap(c, depth+1)
		if err != nil {
			return p, err
		}
		p.Nodes = append(p.Nodes, n)
	}
	p.Gone, p.Left = textsOf(m.List("gone")), textsOf(m.List("left"))
	return p, nil
}

func textsOf(list []any) (out []string) {
	for _, v := range list {
		if s, ok := v.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// loud reports whether the delta changes more than vitals.
func (d Delta) loud() bool {
	return slices.ContainsFunc(d.Parts, func(p Part) bool {
		return p.Head != nil || len(p.Minions)+len(p.Gone)+len(p.Nodes)+len(p.Left) > 0
	})
}

// changes reports each change of the delta, with path as prefix.
func (d Delta) changes(path string, report func(change)) {
	for _, p := range d.Parts {
		at := path
		if p.Path != "" {
			at += "/" + p.Path
		}
		if p.Head != nil {
			report(change{at, "", aHead})
		}
		if p.Vitals != nil {
			report(change{at, "", aVitals})
		}
		for _, m := range p.Minions {
			report(change{at, m.ID, aMinion})
		}
		for _, id := range p.Gone {
			report(change{at, id, aMinion})
		}
		for _, n := range p.Nodes {
			report(change{at, n.ID, aChild})
		}
		for _, id := range p.Left {
			report(change{at, id, aChild})
		}
	}
}
