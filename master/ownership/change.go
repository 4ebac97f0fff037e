package ownership

import (
	"slices"

	"github.com/momtree/mom/topology"
)

// Change applies a difference to the claims of a child node; n is its subtree after the change.
// The cost is that of the difference, unless nodes came or went.
func (o *Claims) Change(n topology.Node, d topology.Delta) {
	minions := map[string]bool{}
	for _, p := range d.Parts {
		// A node takes its minions with it when it comes, goes, or changes its state.
		if len(p.Nodes)+len(p.Left) > 0 || p.Path != "" && p.Head != nil {
			o.Report(n)
			return
		}
		for _, x := range p.Minions {
			minions[x.ID] = true
		}
		for _, x := range p.Gone {
			minions[x] = true
		}
	}
	o.renew(n, minions)
}

// renew updates the claims for some minions of a child node from its subtree n.
func (o *Claims) renew(n topology.Node, minions map[string]bool) {
	if len(minions) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var came, went []string
	for id := range minions {
		known, up := false, false
		n.Walk(func(path string, c topology.Node) {
			if m, ok := c.Minion(id); ok {
				known = true
				up = up || m.State == topology.Up && (path == "" || c.State != topology.Down)
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
		o.former.note(n.ID, slices.Clone(went))
		ids := slices.Concat(o.ids[n.ID], came) // a copy: readers may hold the old slice
		ids = slices.DeleteFunc(ids, func(id string) bool { _, ok := slices.BinarySearch(went, id); return ok })
		slices.Sort(ids)
		o.ids[n.ID] = ids
		o.changed = true
	}
	close(o.reported)
	o.reported = make(chan struct{})
}
