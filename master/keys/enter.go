package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/momtree/mom/internal/crypt"
)

// ErrTaken is wrapped when an id has an accepted key already.
var ErrTaken = errors.New("there is an accepted key of this id")

// Enter keeps a public key, in PEM, as the accepted one of an id, without the peer having
// shown it. One that is accepted already stays, with [ErrTaken], unless replace is set;
// replaced tells that another key has gone.
func (s *Store) Enter(id string, pem []byte, replace bool) (replaced bool, err error) {
	if err := ValidID(id); err != nil {
		return false, err
	}
	if _, err := crypt.ParsePublicPEM(string(pem)); err != nil {
		return false, fmt.Errorf("the key of %q: %w", id, err)
	}
	defer s.lock(id)()
	path := s.path(Accepted, id)
	switch _, err := os.Lstat(path); {
	case err == nil:
		replaced = true
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("enter key: %w", err)
	}
	if replaced && !replace {
		return false, fmt.Errorf("%w: %q", ErrTaken, id)
	}
	if err := crypt.WriteFile(path, pem, crypt.PublicMode); err != nil {
		return false, fmt.Errorf("enter key: %w", err)
	}
	s.refresh(Accepted, id, true)
	return replaced, nil
}

// Enter keeps a public key as accepted; see [Store.Enter].
func (d Desk) Enter(id string, pem []byte, replace bool) error {
	replaced, err := d.Store.Enter(id, pem, replace)
	if err != nil {
		return err
	}
	d.tell("accept", []Key{{Accepted, id}})
	if replaced && d.Rotate != nil {
		return d.Rotate()
	}
	return nil
}
