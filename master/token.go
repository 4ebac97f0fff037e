package master

import (
	"bytes"
	"crypto/rsa"
	"crypto/subtle"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/keys"
)

// tokText is what a minion's tok opens to.
var tokText = []byte("salt")

// tokenCache remembers the tok of each minion that has been verified. A tok is
// the same for the life of a key pair, so the RSA operation is done once per
// key and not once per request.
type tokenCache struct {
	mu   sync.RWMutex
	seen map[string]verified
}

type verified struct {
	key *rsa.PublicKey
	tok []byte
}

func (c *tokenCache) valid(store *keys.Store, id string, tok []byte) bool {
	pub, err := store.PublicKey(id)
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
	if err != nil || !bytes.Equal(text, tokText) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]verified{}
	}
	c.seen[id] = verified{key: pub, tok: bytes.Clone(tok)}
	return true
}

// forget drops an id whose key is gone.
func (c *tokenCache) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, id)
}
