package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// ErrTaken says that an id has an accepted key.
var ErrTaken = errors.New("an accepted key of this id exists")

// Enter stores a public key, in PEM, as the accepted one of an id. If the id has an accepted key, it
// returns [ErrTaken], unless replace is set. replaced reports whether another key was replaced.
func (s *Store) Enter(id string, pem []byte, replace bool) (replaced bool, err error) {
	if err := ValidID(id); err != nil {
		return false, err
	}
	if _, err := crypt.ParsePublicPEM(string(pem)); err != nil {
		return false, fmt.Errorf("key of %q: %w", id, err)
	}
	defer s.lock(id)()
	path := s.path(Accepted, id)
	switch _, err := os.Lstat(path); {
	case err == nil:
		replaced = true
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("store key: %w", err)
	}
	if replaced && !replace {
		return false, fmt.Errorf("%w: %q", ErrTaken, id)
	}
	if err := durable.WriteFile(path, pem, crypt.PublicMode); err != nil {
		return false, fmt.Errorf("store key: %w", err)
	}
	s.refresh(Accepted, id, true)
	return replaced, nil
}

// Enter stores a public key as accepted; see [Store.Enter].
func (d Editor) Enter(id string, pem []byte, replace bool) error {
	replaced, err := d.Store.Enter(id, pem, replace)
	if err != nil {
		return err
	}
	d.notify("accept", []Key{{Accepted, id}})
	if replaced && d.Rotate != nil {
		return d.Rotate()
	}
	return nil
}
