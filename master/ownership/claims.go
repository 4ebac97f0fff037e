package ownership

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// claimsFile keeps which node has which minions, so that a master that has
// restarted knows whose they are before all nodes have reported.
const claimsFile = "owners.p"

// Claims know behind which of the nodes right below a minion or node is, by
// what those report. Nearly all are behind one node; those that are behind
// several (two masters, or on the move) are in more as well.
type Claims struct {
	path string

	mu      sync.RWMutex
	first   map[string]claim
	more    map[string][]claim
	ids     map[string][]string // by node, what it claims now
	former  former              // what it had
	seen    map[string][]string // by Python syndic, who was seen behind it, sorted
	changed bool
	news    chan struct{} // closed by the next report
}

// claim is the word of one node right below.
type claim struct {
	node string
	up   bool // connected there at the time of the report
}

// nodeKey sets the ids of nodes apart: a machine may be minion and node.
func nodeKey(id string) string { return "\x00" + id }

// NewClaims makes claims that are kept in memory alone.
func NewClaims() *Claims {
	return &Claims{
		first: map[string]claim{}, more: map[string][]claim{}, ids: map[string][]string{}, seen: map[string][]string{}, former: newFormer(), news: make(chan struct{}),
	}
}

// OpenClaims reads what an earlier life has kept in cachedir. The claims can be used
// also if that cannot be read: the nodes tell them anew.
func OpenClaims(cachedir string) (*Claims, error) {
	o := NewClaims()
	o.path = filepath.Join(cachedir, claimsFile)
	d, err := wire.ReadMapFile(o.path)
	if err != nil {
		return o, err
	}
	for _, k := range d.Keys() {
		if node, ok := k.(string); ok && node != formerKey && node != seenKey {
			o.ids[node] = wire.Texts(d.List(node))
			for _, id := range o.ids[node] {
				o.enter(id, claim{node: node})
			}
		}
	}
	o.former.read(d.Map(formerKey))
	o.readSeen(d.Map(seenKey))
	return o, nil
}

// Report takes the subtree of a node right below. Its cost is that of reading
// the report. The state of that node itself is not looked at: it changes without a
// report, and whoever asks knows it. The first report after a start comes before
// the node counts as connected.
func (o *Claims) Report(n topology.Node) {
	var ids []string
	up := map[string]bool{}
	n.Walk(func(path string, c topology.Node) {
		if path != "" {
			ids = append(ids, nodeKey(c.ID))
		}
		for _, min := range c.Minions {
			ids = append(ids, min.ID)
			if min.State == topology.Up && (path == "" || c.State != topology.Down) {
				up[min.ID] = true
			}
		}
	})
	slices.Sort(ids)
	ids = slices.Compact(ids)
	o.mu.Lock()
	defer o.mu.Unlock()
	was, gone := o.ids[n.ID], []string(nil)
	for _, id := range was {
		if _, still := slices.BinarySearch(ids, id); !still {
			o.leave(id, n.ID)
			gone = append(gone, id)
		}
	}
	o.former.note(n.ID, gone)
	for _, id := range ids {
		o.enter(id, claim{n.ID, up[id]})
	}
	o.changed = o.changed || !slices.Equal(was, ids)
	o.ids[n.ID] = ids
	close(o.news)
	o.news = make(chan struct{})
}

// Of lists the minions that a node has claimed, in this life or an earlier one.
func (o *Claims) Of(node string) []string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var out []string
	for _, id := range o.ids[node] {
		if !strings.HasPrefix(id, nodeKey("")) {
			out = append(out, id)
		}
	}
	return out
}

// Forget drops what a node has claimed: its key is gone.
func (o *Claims) Forget(node string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range o.ids[node] {
		o.leave(id, node)
	}
	o.former.forget(node)
	delete(o.seen, node)
	if _, ok := o.ids[node]; ok {
		delete(o.ids, node)
		o.changed = true
	}
}

// enter notes a claim. The caller holds mu.
func (o *Claims) enter(id string, c claim) {
	have, ok := o.first[id]
	if !ok || have.node == c.node {
		o.first[id] = c
		return
	}
	others := o.more[id]
	for i := range others {
		if others[i].node == c.node {
			others[i] = c
			return
		}
	}
	o.more[id] = append(others, c)
}

// leave takes a claim back. The caller holds mu.
func (o *Claims) leave(id, node string) {
	others := slices.DeleteFunc(o.more[id], func(c claim) bool { return c.node == node })
	if o.first[id].node == node {
		delete(o.first, id)
		if len(others) > 0 {
			o.first[id], others = others[0], others[1:]
		}
	}
	if len(others) == 0 {
		delete(o.more, id)
		return
	}
	o.more[id] = others
}

// Has tells whether a node claims an id.
func (o *Claims) Has(node, id string) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.first[id].node == node || slices.ContainsFunc(o.more[id], func(c claim) bool { return c.node == node })
}

// HasNode tells whether a node claims another one below it.
func (o *Claims) HasNode(node, id string) bool { return o.Has(node, nodeKey(id)) }

// Elsewhere names a node that says an id is connected to it, and that is
// connected here by itself.
func (o *Claims) Elsewhere(id string, live func(node string) bool) (node string, ok bool) {
	for _, node := range o.Connected(id) {
		if live(node) {
			return node, true
		}
	}
	return "", false
}

// Connected lists the nodes that say an id is connected to them.
func (o *Claims) Connected(id string) []string {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var out []string
	if c := o.first[id]; c.up {
		out = append(out, c.node)
	}
	for _, c := range o.more[id] {
		if c.up {
			out = append(out, c.node)
		}
	}
	return out
}

// Next is closed by the next report.
func (o *Claims) Next() <-chan struct{} {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.news
}

// Save writes the file if claims have changed since it was written last.
func (o *Claims) Save() (err error) {
	o.mu.Lock()
	if !o.changed || o.path == "" {
		o.mu.Unlock()
		return nil
	}
	o.changed = false
	out := wire.NewMap()
	for _, node := range slices.Sorted(maps.Keys(o.ids)) {
		out.Set(node, o.ids[node]) // the lists are replaced, never altered
	}
	if f := o.former.wire(); f != nil {
		out.Set(formerKey, f)
	}
	if len(o.seen) > 0 {
		out.Set(seenKey, o.seenWire())
	}
	o.mu.Unlock()
	defer func() {
		if err != nil { // it is still to be written
			o.mu.Lock()
			o.changed = true
			o.mu.Unlock()
		}
	}()
	b, err := wire.EncodeBus(out)
	if err != nil {
		return fmt.Errorf("encode who has which minions: %w", err)
	}
	if err := crypt.WriteFileLazy(o.path, b, 0o600); err != nil {
		return fmt.Errorf("write who has which minions: %w", err)
	}
	return nil
}
