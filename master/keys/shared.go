package keys

import (
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Shared is the AES key that all minions share, with the serial number of publications.
type Shared struct {
	now func() time.Time

	// line is held from the assignment of a serial until the publication is sent. Requests
	// never wait for it. It is locked before mu.
	line   sync.Mutex
	serial int64

	mu      sync.RWMutex
	key     *crypt.Crypticle
	born    time.Time
	renewal renewal

	renewing sync.Mutex // held from seeing that the key has to be replaced until it is
}

// NewShared generates a key.
func NewShared(now func() time.Time) (*Shared, error) {
	s := &Shared{now: now}
	return s, s.Rotate()
}

// Rotate replaces the shared key. Peers fail to decrypt and sign in again.
func (s *Shared) Rotate() error { return s.Set(crypt.NewKeyString()) }

// Set replaces the key by the given one; the serial starts again.
func (s *Shared) Set(text string) error {
	c, err := crypt.ParseKey(text)
	if err != nil {
		return fmt.Errorf("make a shared AES key: %w", err)
	}
	s.line.Lock()
	defer s.line.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.serial, s.born, s.renewal = c, 0, s.now(), renewal{}
	return nil
}

// Current returns the current key.
func (s *Shared) Current() *crypt.Crypticle {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.key
}

// Text returns the key string that minions receive at sign-in.
func (s *Shared) Text() string { return s.Current().Key() }

// Age returns the age of the key.
func (s *Shared) Age() time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.now().Sub(s.born)
}

// Seal calls number with a publication, assigns the next serial, encrypts it, and passes the
// ciphertext to send before the next publication can be sealed: subscribers reject serials that go
// backwards.
func (s *Shared) Seal(p wire.Publication, number func(*wire.Publication), send func(cipher []byte) error) error {
	s.line.Lock()
	defer s.line.Unlock()
	number(&p)
	s.serial++
	p.Serial, p.HasSerial = s.serial, true
	plain, err := p.Encode()
	if err != nil {
		return fmt.Errorf("encode publication %s: %w", p.JID, err)
	}
	cipher, err := s.Current().Seal("", plain)
	if err != nil {
		return fmt.Errorf("encrypt publication %s: %w", p.JID, err)
	}
	return send(cipher)
}
