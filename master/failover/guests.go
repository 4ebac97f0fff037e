package failover

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/sibling"
)

// guest is a peer whose home is another node, or one of this node's own that is elsewhere.
type guest struct {
	home  string
	own   bool      // this node is its home; it is away for a while
	left  bool      // seen disconnected
	since time.Time // when it disconnected; zero: connected
	grant grant     // why its key is accepted here
}

// grant is the voucher by which a key is accepted here that no operator has accepted.
type grant struct {
	from   string // the sibling
	finger string // of the key
	role   string // its role at home
	made   int64  // when the voucher was made, in Unix nanoseconds
}

func grantOf(v sibling.Voucher) grant {
	return grant{from: v.Issuer, finger: v.Finger, role: v.Role, made: v.Made.UnixNano()}
}

// Host registers a guest by the voucher of its home. It returns after the note is written:
// its key is accepted next, and a key without a note would be one of the node's own.
func (h *registry) Host(id string, v sibling.Voucher) error {
	return h.host(id, guest{home: v.Issuer, grant: grantOf(v)})
}

// Away records that one of this node's peers is at another node; forever moves its home there.
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
		if err := h.appendNote(id, g.home, g.grant); err != nil {
			return err
		}
	}
	g.since = h.now()
	h.guests[id] = g
	h.changed = true
	return nil
}

// Adopt makes a guest one of the node's own.
func (h *registry) Adopt(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	if !ok {
		return nil
	}
	if err := h.appendNote(id, "", g.grant); err != nil {
		return err
	}
	delete(h.guests, id)
	h.adopted[id] = g.grant
	h.changed = true
	return nil
}

// GuestOf returns the home of a guest.
func (h *registry) GuestOf(id string) (home string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.home, ok && !g.own
}

// RoleOf returns the role that a guest has at its home.
func (h *registry) RoleOf(id string) (role string, guest bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.grant.role, ok && !g.own && g.grant.from != ""
}

// Moves reports whether a peer is a guest here, or one of this node's own that is away.
func (h *registry) Moves(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.guests[id]
	return ok
}

// Leavers returns the guests that have been disconnected for longer than guestGrace.
func (h *registry) Leavers(live func(id string) bool) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	var out []string
	for id, g := range h.guests {
		switch {
		case live(id):
			if g.own && g.left { // it is back
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

// Revoked returns the peers whose keys were accepted by a voucher that gone revokes.
func (h *registry) Revoked(gone ...sibling.Gone) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, x := range gone {
		revoke := func(id string, w grant) {
			if x.ShutsOut(id, w.finger, w.from, time.Unix(0, w.made)) {
				out = append(out, id)
			}
		}
		for id, g := range h.guests {
			//mutant:guests-with-deleted-keys
			if !g.own && (x.ID == "" || x.ID == id) {
				revoke(id, g.grant)
			}
		}
		if w, ok := h.adopted[x.ID]; ok { // its former home may still revoke a single key
			revoke(x.ID, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Sweeping marks keys that are about to be removed and are not revoked: those of guests that
// have left. Swept reports each once.
func (h *registry) Sweeping(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.sweeping[id] = true
	}
}

// Swept reports, once, whether the key of a peer was marked by Sweeping.
func (h *registry) Swept(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.sweeping[id]
	delete(h.sweeping, id)
	return was
}

// Guests returns the homes of all guests by id.
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
