package keys

import (
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Desk changes keys as salt-key does: each change is told by the event `salt/key`, and
// when a key is no longer accepted the master is asked for a new shared key.
type Desk struct {
	Store *Store
	Fire  func(tag string, data *wire.Map)
	// Rotate asks for a new shared key; nil: rotate_aes_key is off.
	Rotate func() error
}

// Accept accepts the keys selected; see [Store.AcceptIn].
func (d Desk) Accept(sel Selection) ([]Key, error) {
	done, err := d.Store.AcceptIn(sel)
	d.tell("accept", done)
	return done, err
}

// Reject rejects the keys selected; see [Store.RejectIn].
func (d Desk) Reject(sel Selection) ([]Key, error) {
	done, err := d.Store.RejectIn(sel)
	return done, errors.Join(err, d.revoked("reject", done))
}

// Delete removes the keys selected; see [Store.DeleteIn].
func (d Desk) Delete(sel Selection) ([]Key, error) {
	done, err := d.Store.DeleteIn(sel)
	return done, errors.Join(err, d.revoked("delete", done))
}

func (d Desk) tell(act string, done []Key) {
	for _, k := range done {
		d.Fire("salt/key", Event(act, k.ID))
	}
}

func (d Desk) revoked(act string, done []Key) error {
	d.tell(act, done)
	if len(done) == 0 || d.Rotate == nil {
		return nil
	}
	//mutant:cve2016-9639-new-shared-key-2
	return d.Rotate()
}
