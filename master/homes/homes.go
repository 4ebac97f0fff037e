package homes

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

const (
	// homesFile keeps all of it over restarts: a sibling has to know the nodes
	// whose vouchers it is shown although their common master is away.
	homesFile = "siblings.p"
	// guestGrace is how long a guest that went away stays known.
	guestGrace = time.Minute
	// maxGuests bounds guests, maxLists the masters above that tell siblings.
	maxGuests = 200000
	maxLists  = 64
)

// Homes is what this master knows of siblings: its own, as the masters above tell
// them, and those of its children, which are the nodes right below.
type Homes struct {
	path  string
	notes string // path of notesFile
	now   func() time.Time

	mu      sync.Mutex
	above   []sibling.Told
	lists   []sibling.List          // of above
	below   map[string]sibling.Node // by id, as they told themselves
	signed  sibling.Told            // the list of below, while it is right
	guests  map[string]guest
	changed bool
	noted   int // lines of the notes
}

// Open reads what an earlier life has kept in cachedir. What it gives can be used
// also if that cannot be read: it is told anew. now is the clock.
func Open(cachedir string, now func() time.Time) (*Homes, error) {
	h := &Homes{path: filepath.Join(cachedir, homesFile), notes: filepath.Join(cachedir, notesFile), now: now, below: map[string]sibling.Node{}, guests: map[string]guest{}}
	d, err := wire.ReadMapFile(h.path)
	if err != nil {
		return h, errors.Join(err, h.readNotes())
	}
	if h.above, h.lists, err = sibling.ReadTold(d.List("above")); err != nil {
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
				h.guests[id] = guest{home: g.String(id), since: now()}
			}
		}
	}
	return h, errors.Join(err, h.readNotes())
}

// Save writes the file if something has changed since it was written last.
func (h *Homes) Save() (err error) {
	h.mu.Lock()
	if !h.changed {
		h.mu.Unlock()
		return nil
	}
	h.changed = false
	held := h.noted
	above, below, guests := []any{}, []any{}, wire.NewMap()
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
		}
	}
	h.mu.Unlock()
	defer func() {
		if err != nil { // it is still to be written
			h.mu.Lock()
			h.changed = true
			h.mu.Unlock()
		}
	}()
	b, err := wire.EncodeBus(wire.NewMap("above", above, "below", below, "guests", guests))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	if err := crypt.WriteFileLazy(h.path, b, 0o600); err != nil {
		return fmt.Errorf("write the siblings: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.dropNotes(held)
}

// Forget drops a node or guest whose key is gone.
func (h *Homes) Forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.below[id]; ok {
		delete(h.below, id)
		h.changed, h.signed = true, sibling.Told{}
	}
	if _, ok := h.guests[id]; ok { // its key is gone, so that nothing has to be noted
		delete(h.guests, id)
		h.changed = true
	}
}
