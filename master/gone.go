package master

import (
	"errors"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
)

// bury tells the masters above, and through them the siblings, that a key is not accepted here
// any more, and has the shared key renewed, which its holder knows. A guest that has left is no
// secret either, but gets the next one from its home.
func (m *Master) bury(id string, key crypt.FingerSum, home string) {
	if m.homes.Swept(id) {
		m.shared.RenewWithin(m.cfg.Bounds.GuestRotation)
		return
	}
	if m.cfg.RotateAesKey {
		m.shared.RenewNow()
	}
	m.noteGone(sibling.Gone{ID: id, Finger: key.String(), By: m.node, Home: home, At: m.now()})
}

func (m *Master) noteGone(gone ...sibling.Gone) {
	if _, err := m.graves.Note(false, gone...); err != nil {
		m.failing("That a key is gone could not be written down, and is forgotten with a restart", err)
	}
}

// noHome tells the nodes below that one of them is no home for others any more: nothing that it has
// vouched for counts. The clocks may be apart.
func (m *Master) noHome(id string) {
	if _, err := m.graves.Note(true, sibling.Gone{By: id, At: m.now().Add(sibling.ClockSlack)}); err != nil {
		m.failing("That a node is no home any more could not be written down, and is forgotten with a restart", err)
	}
	m.siblings.Below.Ring()
}

// GoneKeys gives the keys that were deleted or rejected here, for the masters above. The
// forwarder calls it.
func (m *Master) GoneKeys() []sibling.Gone { return m.graves.Of(m.node) }

// HearGone takes which keys are gone at this node's siblings. The forwarder calls it.
func (m *Master) HearGone(gone []sibling.Gone) error {
	var others []sibling.Gone
	for _, g := range gone {
		if g.By != m.node && g.By != "" {
			others = append(others, g)
		}
	}
	fresh, err := m.graves.Note(false, others...)
	return errors.Join(err, m.shutOut(fresh))
}

// shutOut drops what is held here on the word of siblings that is taken back, and rejects keys
// of this node's own that a sibling has deleted while they were its guests.
func (m *Master) shutOut(gone []sibling.Gone) error {
	var errs []error
	for _, g := range gone {
		if g.Home != m.node || g.ID == "" || g.Finger == "" {
			continue
		}
		if key, err := m.keys.Sum(g.ID); err != nil || key.String() != g.Finger {
			continue
		}
		m.log.Warn("A sibling has deleted the key of a guest that is at home here: it is rejected", "id", g.ID, "sibling", g.By, "undo", "salt-key --include-rejected -a "+g.ID)
		_, err := m.keys.RejectIn(keys.Selection{keys.Accepted: {g.ID}})
		errs = append(errs, err)
		m.fire("topology/key_gone", wire.NewMap("id", g.ID, "at", g.By))
	}
	ids := m.homes.Shut(gone...)
	if len(ids) == 0 {
		return errors.Join(errs...)
	}
	m.homes.Sweeping(ids...) // they are told of by the node where they are gone
	if _, err := m.keys.Delete(ids...); err != nil {
		errs = append(errs, err)
	}
	m.shared.RenewNow()
	for _, id := range ids {
		m.homes.Forget(id)
		m.trespassed(ownership.Trespass{Kind: ownership.OfHome, Path: id, Err: errors.New("it was here on the word of a sibling that is taken back: its key is gone there, or the sibling is no home for others any more")})
	}
	m.log.Warn("Keys that were accepted on the word of a sibling are removed", "count", len(ids), "first", ids[0])
	return errors.Join(errs...)
}

// buryOffline tells of the keys that were deleted while this master was down: those whose role was known.
func (m *Master) buryOffline() {
	for _, id := range sortedKeys(m.roles.Orphans()) {
		home, _ := m.homes.GuestOf(id)
		m.noteGone(sibling.Gone{ID: id, Finger: m.roles.Orphans()[id].String(), By: m.node, Home: home, At: m.now()})
		m.homes.Forget(id)
	}
}
