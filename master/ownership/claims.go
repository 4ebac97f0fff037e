package ownership

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// claimsFile keeps the minions of each node over restarts, until the nodes report again.
const claimsFile = "owners.p"

// Claims records, from the reports of child nodes, behind which of them each minion and node is.
// Nearly all are behind one node; those behind several (two masters, or moving) are in more, too.
type Claims struct {
	path string

	mu       sync.RWMutex
	first    map[string]claim
	more     map[string][]claim
	ids      map[string][]string // by node: its claims, sorted
	former   former              // its previous claims
	seen     map[string][]string // by Python syndic: minions seen behind it, sorted
	changed  bool
	reported chan struct{} // closed by the next report
}

// claim is one node's report of a minion.
type claim struct {
	node string
	up   bool // connected there at the time of the report
}

// nodeKey distinguishes ids of nodes: a machine may be a minion and a node.
func nodeKey(id string) string { return "\x00" + id }

// NewClaims returns empty claims in memory.
func NewClaims() *Claims {
	return &Claims{
		first: map[string]claim{}, more: map[string][]claim{}, ids: map[string][]string{}, seen: map[string][]string{}, former: newFormer(), reported: make(chan struct{}),
	}
}

// OpenClaims reads the claims kept in cachedir. They are usable even with an error: the nodes
// report again.
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

// Report replaces the claims of a child node by its subtree. The state of that node itself is
// ignored: it changes without a report, and the first report after a start precedes the
// connection.
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
	o.noteVisits(n)
	close(o.reported)
	o.reported = make(chan struct{})
}

// Of returns the minions that a node claims, from its last report.
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

// Forget removes the claims of a node whose key was deleted.
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

// enter adds a claim. The caller holds mu.
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

// leave removes a claim. The caller holds mu.
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

// Has reports whether a node claims an id.
func (o *Claims) Has(node, id string) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.first[id].node == node || slices.ContainsFunc(o.more[id], func(c claim) bool { return c.node == node })
}

// HasNode reports whether a node claims another node below it.
func (o *Claims) HasNode(node, id string) bool { return o.Has(node, nodeKey(id)) }

// Elsewhere returns a connected node that reports an id as connected to it.
func (o *Claims) Elsewhere(id string, live func(node string) bool) (node string, ok bool) {
	for _, node := range o.Connected(id) {
		if live(node) {
			return node, true
		}
	}
	return "", false
}

// Connected returns the nodes that report an id as connected to them.
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

// Next returns a channel closed by the next report.
func (o *Claims) Next() <-chan struct{} {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.reported
}

// Save writes the file if the claims changed.
func (o *Claims) Save() (err error) {
	o.mu.Lock()
	if !o.changed || o.path == "" {
		o.mu.Unlock()
		return nil
	}
	o.changed = false
	out := wire.NewMap()
	for _, node := range slices.Sorted(maps.Keys(o.ids)) {
		out.Set(node, o.ids[node]) // slices are replaced, never modified
	}
	if f := o.former.wire(); f != nil {
		out.Set(formerKey, f)
	}
	if len(o.seen) > 0 {
		out.Set(seenKey, o.seenWire())
	}
	o.mu.Unlock()
	defer func() {
		if err != nil { // still unsaved
			o.mu.Lock()
			o.changed = true
			o.mu.Unlock()
		}
	}()
	b, err := wire.EncodeBus(out)
	if err != nil {
		return fmt.Errorf("encode minions of nodes: %w", err)
	}
	if err := durable.WriteFileLazy(o.path, b, 0o600); err != nil {
		return fmt.Errorf("write minions of nodes: %w", err)
	}
	return nil
}
