package channel

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// pin is a pinned key of a master.
type pin struct {
	pem string
	key *rsa.PublicKey
	sum string // its crypt.Finger
}

var pins parsed[*pin]

// loadPin reads the pinned key. It returns nil and no error on first contact.
func loadPin(path string) (*pin, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadPin, err)
	}
	p, err := newPin(string(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBadPin, path, err)
	}
	return p, nil
}

func newPin(text string) (*pin, error) {
	m, err := pins.get(text, func(text string) (*pin, error) {
		key, err := crypt.ParsePublicPEM(text)
		if err != nil {
			return nil, err
		}
		return &pin{pem: text, key: key, sum: crypt.Finger(key)}, nil
	})
	return m.value, err
}

// same compares PEM texts like Salt: it ignores the kind of line ends.
func (p *pin) same(text string) bool {
	strip := strings.NewReplacer("\r", "", "\n", "")
	return strip.Replace(p.pem) == strip.Replace(text)
}

// save writes the pinned key so that a crash leaves the old or the new file, never a partial
// one.
func (p *pin) save(path string) error {
	if err := durable.WriteFile(path, []byte(p.pem), 0o644); err != nil {
		return fmt.Errorf("pin the master's key: %w", err)
	}
	return nil
}
