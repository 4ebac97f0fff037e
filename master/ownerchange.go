package master

import (
	"errors"
	"slices"

	"github.com/momtree/mom/topology"
)

// applyDelta enters a difference into the tree and among the owners. One that
// does not fit is dropped: the answer tells the node to report the whole.
func (m *Master) applyDelta(id, life string, d topology.Delta) error {
	err := m.tree.Apply(id, life, d)
	if errors.Is(err, topology.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	n, _ := m.tree.Node(id)
	minions := map[string]bool{}
	for _, p := range d.Parts {
		// A node that came or went takes its minions along; so does one whose
		// state is another.
		if len(p.Nodes)+len(p.Left) > 0 || p.Path != "" && p.Head != nil {
			m.owners.report(n)
			return nil
		}
		for _, x := range p.Minions {
			minions[x.ID] = true
		}
		for _, x := range p.Gone {
			minions[x] = true
		}
	}
	m.owners.change(n, minions)
	return nil
}

// change takes some minions of a node right below anew from its subtree n.
func (o *owners) change(n topology.Node, minions map[string]bool) {
	if len(minions) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var came, went []string
	for id := range minions {
		known, up := false, false
		n.Walk(func(_ string, c topology.Node) {
			if m, ok := c.Minion(id); ok {
				known = true
				up = up || m.State == topology.Up && c.State != topology.Down
			}
		})
		_, had := slices.BinarySearch(o.ids[n.ID], id)
		switch {
		case known:
			o.enter(id, claim{n.ID, up})
			if !had {
				came = append(came, id)
			}
		case had:
			o.leave(id, n.ID)
			went = append(went, id)
		}
	}
	if len(came)+len(went) > 0 {
		slices.Sort(went)
		ids := slices.Concat(o.ids[n.ID], came) // a new list: the old one may be read
		ids = slices.DeleteFunc(ids, func(id string) bool { _, ok := slices.BinarySearch(went, id); return ok })
		slices.Sort(ids)
		o.ids[n.ID] = ids
		o.changed = true
	}
	close(o.news)
	o.news = make(chan struct{})
}
