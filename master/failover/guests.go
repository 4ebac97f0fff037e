package failover

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/sibling"
)

// guest is a peer whose home is another node.
type guest struct {
	home  string
	own   bool      // one of ours that is away for a while
	left  bool      // it has been seen gone
	since time.Time // not connected since; zero: connected
	word  word      // by which its key is accepted here
}

// word is what a key is held by that no operator has accepted here: the voucher of a sibling.
type word struct {
	from   string // the sibling
	finger string // of the key
	role   string // what it is there
	made   int64  // when the sibling said it, in nanoseconds
}

func wordOf(v sibling.Voucher) word {
	return word{from: v.Issuer, finger: v.Finger, role: v.Role, made: v.Made.UnixNano()}
}

// Host notes that a peer is here only for a while, by the voucher of its home. It is on disk
// when it returns: its key is accepted next, and a key without that note is one of the node's
// own for ever.
func (h *registry) Host(id string, v sibling.Voucher) error {
	return h.host(id, guest{home: v.Issuer, word: wordOf(v)})
}

// Away notes that a peer of this node's own is at another one; forever: it is at home there.
func (h *registry) Away(id, home string, forever bool) error {
	return h.host(id, guest{home: home, own: !forever})
}

func (h *registry) host(id string, g guest) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.guests[id]; !known && len(h.guests) >= maxGuests {
		return nil
	}
	if !g.own {
		if err := h.note(id, g.home, g.word); err != nil {
			return err
		}
	}
	g.since = h.now()
	h.guests[id] = g
	h.changed = true
	return nil
}

// Adopt makes a guest one of the node's own, on the word of its home.
func (h *registry) Adopt(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	if !ok {
		return nil
	}
	if err := h.note(id, "", g.word); err != nil {
		return err
	}
	delete(h.guests, id)
	h.adopted[id] = g.word
	h.changed = true
	return nil
}

// GuestOf gives the home of a guest.
func (h *registry) GuestOf(id string) (home string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.home, ok && !g.own
}

// RoleOf gives what a guest is at its home.
func (h *registry) RoleOf(id string) (role string, guest bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.word.role, ok && !g.own && g.word.from != ""
}

// Moves tells whether an id is a guest here, or one of ours on the move.
func (h *registry) Moves(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.guests[id]
	return ok
}

// Leavers gives the guests that have been away for longer than guestGrace.
func (h *registry) Leavers(live func(id string) bool) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	var out []string
	for id, g := range h.guests {
		switch {
		case live(id):
			if g.own && g.left { // it is home again
				delete(h.guests, id)
				continue
			}
			if !g.since.IsZero() {
				g.since = time.Time{}
				h.guests[id] = g
			}
		case g.own && !g.left, g.since.IsZero():
			g.since, g.left = now, true
			h.guests[id] = g
		case !g.own && now.Sub(g.since) > guestGrace:
			out = append(out, id)
		}
	}
	return out
}

// Shut gives the peers whose keys are held here on the word of a sibling, where that is taken back
// by what is gone.
func (h *registry) Shut(gone ...sibling.Gone) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, x := range gone {
		shut := func(id string, w word) {
			if x.ShutsOut(id, w.finger, w.from, time.Unix(0, w.made)) {
				out = append(out, id)
			}
		}
		for id, g := range h.guests {
			//mutant:guests-with-deleted-keys
			if !g.own && (x.ID == "" || x.ID == id) {
				shut(id, g.word)
			}
		}
		if w, ok := h.adopted[x.ID]; ok { // which its home has given away for good, and may still take back one by one
			shut(x.ID, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Sweeping notes whose keys are about to be removed without being gone elsewhere: guests that
// have left. Swept tells it once.
func (h *registry) Sweeping(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.sweeping[id] = true
	}
}

// Swept tells, once, whether the key of an id was removed by a sweep.
func (h *registry) Swept(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.sweeping[id]
	delete(h.sweeping, id)
	return was
}

// Guests gives those that are no node's own, with their homes.
func (h *registry) Guests() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]string{}
	for id, g := range h.guests {
		if !g.own {
			out[id] = g.home
		}
	}
	return out
}
