package keys

import (
	"bytes"
	"crypto/rsa"
	"crypto/subtle"
	"sync"

	"github.com/momtree/mom/internal/crypt"
)

// TokText is the plaintext of a minion's tok.
const TokText = "salt"

// Toks caches the verified tok of each minion. A tok is the same for the life of a key pair, so the
// RSA operation is done once per key and not per request.
type Toks struct {
	store *Store

	mu   sync.RWMutex
	seen map[string]verified
}

// NewToks returns a cache that verifies with the keys of a store.
func NewToks(s *Store) *Toks { return &Toks{store: s, seen: map[string]verified{}} }

type verified struct {
	key *rsa.PublicKey
	tok []byte
}

// Valid reports whether a tok was made with the accepted key of an id.
func (c *Toks) Valid(id string, tok []byte) bool {
	pub, err := c.store.PublicKey(id)
	if err != nil {
		return false
	}
	c.mu.RLock()
	v, ok := c.seen[id]
	c.mu.RUnlock()
	if ok && subtle.ConstantTimeCompare(v.tok, tok) == 1 && (v.key == pub || v.key.Equal(pub)) {
		return true
	}
	text, err := crypt.X931Open(pub, tok)
	if err != nil || !bytes.Equal(text, []byte(TokText)) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[id] = verified{key: pub, tok: bytes.Clone(tok)}
	return true
}

// Forget removes an id whose key was deleted.
func (c *Toks) Forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, id)
}
