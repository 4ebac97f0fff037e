package keys

import (
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Serials count within the life of a key, in the order of sending; a fresh key
// begins anew.
func TestShared(t *testing.T) {
	at := time.Unix(1000, 0)
	s, err := NewShared(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	seal := func() (serial int64) {
		t.Helper()
		key, numbered := s.Current(), false
		err := s.Seal(wire.Publication{JID: "1"}, func(p *wire.Publication) { numbered = p.JID == "1" }, func(cipher []byte) error {
			plain, err := key.Open(cipher)
			if err != nil {
				return err
			}
			p, err := wire.ParsePublication(plain)
			serial = p.Serial
			return err
		})
		if err != nil || !numbered {
			t.Fatal(numbered, err)
		}
		return serial
	}
	if a, b := seal(), seal(); a != 1 || b != 2 {
		t.Errorf("serials %d and %d", a, b)
	}
	old := s.Text()
	at = at.Add(time.Hour)
	if s.Age() != time.Hour {
		t.Errorf("age %s", s.Age())
	}
	if err := s.Rotate(); err != nil || s.Text() == old || s.Age() != 0 || seal() != 1 {
		t.Errorf("after a rotation: %v, the same key %v, age %s", err, s.Text() == old, s.Age())
	}
	if err := s.Set(old); err != nil || s.Text() != old {
		t.Errorf("set: %v", err)
	}
	if err := s.Set("no key"); err == nil || s.Text() != old {
		t.Errorf("an invalid key was accepted: %v", err)
	}
	broken := errors.New("broken")
	if err := s.Seal(wire.Publication{}, func(*wire.Publication) {}, func([]byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the error of send is %v", err)
	}
}
