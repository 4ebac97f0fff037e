package failover

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

const (
	// registryFile keeps the registry over restarts: a sibling must know the issuers
	// of vouchers although the common parent is down.
	registryFile = "siblings.p"
	// guestGrace is how long a disconnected guest is remembered.
	guestGrace = time.Minute
	// maxGuests bounds guests, maxLists parents.
	maxGuests = 200000
	maxLists  = 64
)

// registry holds the siblings of this node, as its parents report them, its children, and
// the guests. It is safe for concurrent use.
type registry struct {
	path  string
	notes string // path of notesFile
	now   func() time.Time

	mu      sync.Mutex
	above   []sibling.Signed
	lists   []sibling.List          // above, decoded
	below   map[string]sibling.Node // children by id
	signed  sibling.Signed          // list of below; empty after a change
	guests  map[string]guest
	adopted map[string]grant // former guests that stay
	changed bool
	// sweeping holds the ids of guests whose keys are being removed.
	sweeping map[string]bool
	noted    int // lines of the notes
}

// openRegistry reads the registry from cachedir. The registry is usable even with an error:
// parents and children report again.
func openRegistry(cachedir string, now func() time.Time) (*registry, error) {
	h := &registry{path: filepath.Join(cachedir, registryFile), notes: filepath.Join(cachedir, notesFile), now: now, below: map[string]sibling.Node{}, guests: map[string]guest{}, adopted: map[string]grant{}, sweeping: map[string]bool{}}
	d, err := wire.ReadMapFile(h.path)
	if err != nil {
		return h, errors.Join(err, h.readNotes())
	}
	if h.above, h.lists, err = sibling.ReadSigned(d.List("above")); err != nil {
		err = wire.SpoiltFile(h.path, err)
	}
	for _, v := range d.List("below") {
		if m, ok := v.(*wire.Map); ok {
			n := sibling.Node{ID: m.String("id"), Host: m.String("host"), Port: int(m.Int("port")), Pub: m.String("pub"), Draining: m.Bool("draining")}
			h.below[n.ID] = n
		}
	}
	if g := d.Map("guests"); g != nil {
		for _, k := range g.Keys() {
			if id, ok := k.(string); ok {
				h.guests[id] = guest{home: g.String(id), since: now(), grant: readGrant(d.Map("words"), id)}
			}
		}
	}
	if a := d.Map("adopted"); a != nil {
		for _, k := range a.Keys() {
			if id, ok := k.(string); ok {
				h.adopted[id] = readGrant(a, id)
			}
		}
	}
	return h, errors.Join(err, h.readNotes())
}

func readGrant(d *wire.Map, id string) grant {
	if d == nil || d.Map(id) == nil {
		return grant{}
	}
	m := d.Map(id)
	return grant{from: m.String("from"), finger: m.String("finger"), role: m.String("role"), made: m.Int("made")}
}

func (w grant) wire() *wire.Map {
	return wire.NewMap("from", w.from, "finger", w.finger, "role", w.role, "made", w.made)
}

// Save writes the file if something has changed since it was written last.
func (h *registry) Save() (err error) {
	h.mu.Lock()
	if !h.changed {
		h.mu.Unlock()
		return nil
	}
	h.changed = false
	held := h.noted
	above, below, guests, words, adopted := []any{}, []any{}, wire.NewMap(), wire.NewMap(), wire.NewMap()
	for _, t := range h.above {
		above = append(above, t.Map())
	}
	for _, id := range slices.Sorted(maps.Keys(h.below)) {
		n := h.below[id]
		below = append(below, wire.NewMap("id", n.ID, "host", n.Host, "port", n.Port, "pub", n.Pub, "draining", n.Draining))
	}
	for _, id := range slices.Sorted(maps.Keys(h.guests)) {
		if !h.guests[id].own { // those come back, or are missed again
			guests.Set(id, h.guests[id].home)
			if w := h.guests[id].grant; w.from != "" {
				words.Set(id, w.wire())
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(h.adopted)) {
		adopted.Set(id, h.adopted[id].wire())
	}
	h.mu.Unlock()
	defer func() {
		if err != nil { // still unsaved
			h.mu.Lock()
			h.changed = true
			h.mu.Unlock()
		}
	}()
	b, err := wire.EncodeBus(wire.NewMap("above", above, "below", below, "guests", guests, "words", words, "adopted", adopted))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	if err := durable.WriteFileLazy(h.path, b, 0o600); err != nil {
		return fmt.Errorf("write the siblings: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dropNotes(held)
}

// Forget drops a node or guest whose key was removed.
func (h *registry) Forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.below[id]; ok {
		delete(h.below, id)
		h.changed, h.signed = true, sibling.Signed{}
	}
	_, guest := h.guests[id]
	if _, adopted := h.adopted[id]; guest || adopted { // the key is gone, so a note is not needed
		delete(h.guests, id)
		delete(h.adopted, id)
		h.changed = true
	}
}

// empty reports whether no key here is accepted by a voucher.
func (h *registry) empty() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.guests {
		//mutant:failover-guests-leave-though-off
		if !g.own {
			return false
		}
	}
	//mutant:failover-guests-leave-though-off-2
	return len(h.adopted) == 0
}

// remove deletes the files.
func (h *registry) remove() error {
	return errors.Join(removeFile(h.path), removeFile(h.notes))
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove registry of siblings: %w", err)
	}
	return nil
}
