package homes

import "time"

// guest is a peer whose home is another node.
type guest struct {
	home  string
	own   bool      // one of ours that is away for a while
	left  bool      // it has been seen gone
	since time.Time // not connected since; zero: connected
}

// Host notes that a peer is here only for a while. A guest is on disk when it
// returns: its key is accepted next, and a key without that note is one of the
// node's own for ever.
func (h *Homes) Host(id, home string, own bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.guests[id]; !known && len(h.guests) >= maxGuests {
		return nil
	}
	if !own {
		if err := h.note(id, home); err != nil {
			return err
		}
	}
	h.guests[id] = guest{home: home, own: own, since: h.now()}
	h.changed = true
	return nil
}

// Adopt makes a guest one of the node's own.
func (h *Homes) Adopt(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.guests[id]; !ok {
		return nil
	}
	if err := h.note(id, ""); err != nil {
		return err
	}
	delete(h.guests, id)
	h.changed = true
	return nil
}

// GuestOf gives the home of a guest.
func (h *Homes) GuestOf(id string) (home string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.home, ok && !g.own
}

// Moves tells whether an id is a guest here, or one of ours on the move.
func (h *Homes) Moves(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.guests[id]
	return ok
}

// Leavers gives the guests that have been away for longer than guestGrace.
func (h *Homes) Leavers(live func(id string) bool) []string {
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

// Guests gives those that are no node's own, with their homes.
func (h *Homes) Guests() map[string]string {
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
