package master

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
)

const (
	// homesFile keeps all of it over restarts: a sibling has to know the nodes
	// whose vouchers it is shown although their common master is away.
	homesFile = "siblings.p"
	// voucherLife is how long a voucher counts; it is renewed with each question.
	voucherLife = 48 * time.Hour
	// guestGrace is how long a guest that went away stays known.
	guestGrace = time.Minute
	// maxGuests bounds guests, maxLists the masters above that tell siblings.
	maxGuests = 200000
	maxLists  = 64
)

// homes is what this master knows of siblings: its own, as the masters above tell
// them, and those of its children, which are the nodes right below.
type homes struct {
	path string

	mu      sync.Mutex
	above   []sibling.Told
	lists   []sibling.List          // of above
	below   map[string]sibling.Node // by id, as they told themselves
	signed  sibling.Told            // the list of below, while it is right
	guests  map[string]guest
	changed bool
}

// guest is a peer whose home is another node.
type guest struct {
	home  string
	own   bool      // one of ours that is away for a while
	left  bool      // it has been seen gone
	since time.Time // not connected since; zero: connected
}

func openHomes(cachedir string) (*homes, error) {
	h := &homes{path: filepath.Join(cachedir, homesFile), below: map[string]sibling.Node{}, guests: map[string]guest{}}
	b, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	d, err := wire.DecodeMap(b)
	if err != nil {
		return h, fmt.Errorf("read %s: %w", h.path, err)
	}
	h.above, h.lists, err = sibling.ReadTold(d.List("above"))
	for _, v := range d.List("below") {
		if m, ok := v.(*wire.Map); ok {
			n := sibling.Node{ID: m.String("id"), Host: m.String("host"), Port: int(m.Int("port")), Pub: m.String("pub"), Draining: m.Bool("draining")}
			h.below[n.ID] = n
		}
	}
	if g := d.Map("guests"); g != nil {
		for _, k := range g.Keys() {
			if id, ok := k.(string); ok {
				h.guests[id] = guest{home: g.String(id), since: time.Now()}
			}
		}
	}
	return h, err
}

func (h *homes) save() error {
	h.mu.Lock()
	if !h.changed {
		h.mu.Unlock()
		return nil
	}
	h.changed = false
	above, below, guests := []any{}, []any{}, wire.NewMap()
	for _, t := range h.above {
		above = append(above, t.Map())
	}
	for _, id := range sortedKeys(h.below) {
		n := h.below[id]
		below = append(below, wire.NewMap("id", n.ID, "host", n.Host, "port", n.Port, "pub", n.Pub, "draining", n.Draining))
	}
	for _, id := range sortedKeys(h.guests) {
		if !h.guests[id].own { // those come back, or are missed again
			guests.Set(id, h.guests[id].home)
		}
	}
	h.mu.Unlock()
	b, err := wire.EncodeBus(wire.NewMap("above", above, "below", below, "guests", guests))
	if err != nil {
		return fmt.Errorf("encode the siblings: %w", err)
	}
	if err := crypt.WriteFileLazy(h.path, b, 0o600); err != nil {
		return fmt.Errorf("write the siblings: %w", err)
	}
	return nil
}

// hear takes what a master above says about its nodes, of which this is one.
func (h *homes) hear(told sibling.Told, l sibling.List) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.lists {
		if h.lists[i].Parent != l.Parent {
			continue
		}
		if string(h.above[i].Body) != string(told.Body) {
			h.above[i], h.lists[i], h.changed = told, l, true
		}
		return
	}
	if len(h.lists) < maxLists {
		h.above, h.lists, h.changed = append(h.above, told), append(h.lists, l), true
	}
}

func (h *homes) siblings() ([]sibling.Told, []sibling.List) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]sibling.Told(nil), h.above...), append([]sibling.List(nil), h.lists...)
}

// enter takes what a node right below says about itself.
func (h *homes) enter(n sibling.Node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.below[n.ID] != n {
		h.below[n.ID], h.changed, h.signed = n, true, sibling.Told{}
	}
}

func (h *homes) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.below[id]; ok {
		delete(h.below, id)
		h.changed, h.signed = true, sibling.Told{}
	}
	if _, ok := h.guests[id]; ok {
		delete(h.guests, id)
		h.changed = true
	}
}

// host notes that a peer is here only for a while.
func (h *homes) host(id, home string, own bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.guests[id]; !known && len(h.guests) >= maxGuests {
		return
	}
	h.guests[id] = guest{home: home, own: own, since: time.Now()}
	h.changed = true
}

// adopt makes a guest one of the node's own.
func (h *homes) adopt(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.guests[id]; ok {
		delete(h.guests, id)
		h.changed = true
	}
}

// guestOf gives the home of a guest.
func (h *homes) guestOf(id string) (home string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g, ok := h.guests[id]
	return g.home, ok && !g.own
}

// moves tells whether an id is a guest here, or one of ours on the move.
func (h *homes) moves(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.guests[id]
	return ok
}

// leavers gives the guests that have been away for longer than guestGrace.
func (h *homes) leavers(live func(id string) bool, now time.Time) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
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

// absentGuest tells that an accepted id has its home elsewhere and is not here now:
// no job has to ask it here, and its home, or the master above that home, misses
// it. One of ours that is on the move is missed here: whoever has it speaks for it,
// and if nobody has, it is named.
func (m *Master) absentGuest(id string) bool {
	if _, guest := m.homes.guestOf(id); !guest {
		return false
	}
	return m.presence.Live(id) != ledger.Up
}

// sweepHomes forgets guests that have left, and writes what has changed.
func (m *Master) sweepHomes() {
	gone := m.homes.leavers(func(id string) bool { return m.presence.Live(id) == ledger.Up }, time.Now())
	if len(gone) > 0 {
		if _, err := m.keys.Delete(gone...); err != nil {
			m.log.Error("The keys of guests that have left could not be removed", "err", err)
		}
		for _, id := range gone {
			m.homes.forget(id)
			// It may have left while this master was down, and nothing told the jobs
			// that it, and what is below it, will not answer here.
			m.ledger.NodeDown(id)
			m.ledger.MinionDown(id)
		}
		m.log.Info("Guests of this node have left", "count", len(gone), "first", gone[0])
	}
	if err := m.homes.save(); err != nil {
		m.log.Error("What is known of siblings could not be written", "err", err)
	}
}

// vouched tells whether a sibling speaks for a key that is not accepted here.
func (m *Master) vouched(id, pub string, voucher []byte) bool {
	if len(voucher) == 0 || !m.cfg.Rehome || !m.cfg.RehomeKeys {
		return false
	}
	_, lists := m.homes.siblings()
	v, err := sibling.Check(voucher, id, pub, m.id, lists, m.now())
	if err != nil {
		m.log.Warn("A voucher is not believed", "id", id, "err", err)
		return false
	}
	m.log.Info("A peer is accepted as a guest: a sibling vouches for its key", "id", id, "home", v.Issuer)
	m.homes.host(id, v.Issuer, false)
	return true
}

// HearSiblings takes the signed list of a master above. The forwarder of the same
// node calls it.
func (m *Master) HearSiblings(told sibling.Told) error {
	l, err := told.Open()
	if err != nil {
		return err
	}
	if _, here := l.Find(m.id); !here {
		return fmt.Errorf("list of siblings of %s: %w: this node is not in it", l.Parent, sibling.ErrBad)
	}
	m.homes.hear(told, l)
	return nil
}

// Home is what this node says of itself to a master above; "" as host lets that
// one use the address it sees.
func (m *Master) Home() sibling.Node {
	_, port := m.Ports()
	host := m.cfg.RehomeAddress
	return sibling.Node{ID: m.id, Host: host, Port: port, Pub: m.identity.Pair.PublicPEM, Draining: m.Draining()}
}

// onSiblings serves the question of a minion or node where it may go when this
// master is gone. It is our own addition; a Python master answers {}.
func (m *Master) onSiblings(_ context.Context, r *request) (any, error) {
	if !r.tokOK || !m.cfg.Rehome {
		return wire.NewMap(), nil
	}
	d, err := wire.DecodeMap(r.load)
	if err != nil {
		return nil, fmt.Errorf("question of %s about siblings: %w", r.id, err)
	}
	above, _ := m.homes.siblings()
	reply := wire.NewMap("node", m.id)
	if have := d.String("have"); have != "" && have == sibling.Sum(above...) {
		reply.Set("same", true)
	} else {
		told := make([]any, 0, len(above))
		for _, t := range above {
			told = append(told, t.Map())
		}
		reply.Set("lists", told)
	}
	if d.String("role") == "syndic" {
		if err := m.noteNode(r.id); err != nil {
			return nil, err
		}
		n := sibling.Node{
			ID: r.id, Host: d.String("host"), Port: int(d.Int("port")), Pub: d.String("pub"), Draining: d.Bool("draining"),
		}
		if n.Host == "" {
			n.Host = r.peer.Source().String()
		}
		_, guest := m.homes.guestOf(r.id)
		if !guest && n.Port > 0 {
			m.homes.enter(n)
		}
		if !guest { // which is not in the list, and its minions have the siblings that its home tells
			own, err := m.signedChildren()
			if err != nil {
				return nil, err
			}
			if d.String("have_below") != sibling.Sum(own) {
				reply.Set("below", own.Map())
			}
		}
	}
	switch {
	case d.Bool("stay"):
		m.homes.adopt(r.id)
		m.log.Info("A peer stays: this node is its home now", "id", r.id)
	case d.String("leaves") != "":
		m.homes.host(r.id, d.String("leaves"), !d.Bool("forever"))
	}
	if _, away := m.homes.guestOf(r.id); !away && m.cfg.RehomeKeys && d.Bool("voucher") {
		v, err := m.vouch(r.id)
		if err != nil {
			return nil, err
		}
		reply.Set("voucher", v)
	}
	return reply, nil
}

func (m *Master) vouch(id string) ([]byte, error) {
	key, err := m.keys.PublicKey(id)
	if err != nil {
		return nil, err
	}
	m.rsa.Take()
	defer m.rsa.Give()
	return sibling.Voucher{ID: id, Issuer: m.id, Finger: sibling.FingerOf(key), Until: m.now().Add(voucherLife)}.Sign(m.identity.Pair.Private)
}

// signedChildren is the list of the nodes right below, signed anew only when it
// has changed.
func (m *Master) signedChildren() (sibling.Told, error) {
	h := m.homes
	h.mu.Lock()
	defer h.mu.Unlock()
	nodes := make([]sibling.Node, 0, len(h.below))
	for _, id := range sortedKeys(h.below) {
		n := h.below[id]
		n.Up = m.presence.Live(id) == ledger.Up
		nodes = append(nodes, n)
	}
	if have, err := h.signed.Open(); err == nil && sameNodes(have.Nodes, nodes) {
		return h.signed, nil
	}
	told, err := sibling.List{Parent: m.id, At: m.now(), Nodes: nodes}.Sign(m.identity.Pair.Private, m.identity.Pair.PublicPEM)
	if err == nil {
		h.signed = told
	}
	return told, err
}

func sameNodes(a, b []sibling.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// drainFile in cachedir says that the node wants to lose its minions.
const drainFile = "draining"

// Draining tells whether `mom node drain` was given at this node.
func (m *Master) Draining() bool {
	_, err := os.Stat(filepath.Join(m.cfg.Cachedir, drainFile))
	return err == nil
}

// siblingIDs names the siblings of a node.
func siblingIDs(own string, lists []sibling.List) []any {
	out := []any{}
	for _, n := range sibling.Order(own, lists, own) {
		out = append(out, n.ID)
	}
	return out
}
