package keys

import (
	"errors"

	"github.com/momtree/mom/internal/wire"
)

// Editor changes keys like salt-key: each change fires the event `salt/key`, and a key that is no
// longer accepted causes a rotation of the shared key.
type Editor struct {
	Store *Store
	Fire  func(tag string, data *wire.Map)
	// Rotate requests a new shared key; nil if rotate_aes_key is off.
	Rotate func() error
}

// Accept accepts the selected keys; see [Store.AcceptIn].
func (d Editor) Accept(sel Selection) ([]Key, error) {
	done, err := d.Store.AcceptIn(sel)
	d.notify("accept", done)
	return done, err
}

// Reject rejects the selected keys; see [Store.RejectIn].
func (d Editor) Reject(sel Selection) ([]Key, error) {
	done, err := d.Store.RejectIn(sel)
	return done, errors.Join(err, d.revoked("reject", done))
}

// Delete removes the selected keys; see [Store.DeleteIn].
func (d Editor) Delete(sel Selection) ([]Key, error) {
	done, err := d.Store.DeleteIn(sel)
	return done, errors.Join(err, d.revoked("delete", done))
}

func (d Editor) notify(act string, done []Key) {
	for _, k := range done {
		d.Fire("salt/key", Event(act, k.ID))
	}
}

func (d Editor) revoked(act string, done []Key) error {
	d.notify(act, done)
	if len(done) == 0 || d.Rotate == nil {
		return nil
	}
	//mutant:cve2016-9639-new-shared-key-2
	return d.Rotate()
}
