package door

import (
	"crypto/sha256"
	"sync"
)

// maxNonces bounds the requests that are remembered: 16 bytes each, twice.
const maxNonces = 65536

// Nonces remember requests whose effect is not the same when they are served
// twice (events, announcements, a key given up). A stranger who has recorded one
// could send it again; returns are stored once by themselves. A peer makes a new
// nonce for each request, but may send the same bytes again when it heard no
// answer, so a repeat is answered like the first.
type Nonces struct {
	mu    sync.Mutex
	seen  map[[16]byte]struct{}
	order [][16]byte // a ring
	next  int
}

// NewNonces remembers nothing yet.
func NewNonces() *Nonces { return &Nonces{seen: map[[16]byte]struct{}{}} }

// Again tells whether a request was seen before, and notes it. Requests without
// nonce, of peers of protocol 0 and 1, cannot be told apart.
func (n *Nonces) Again(id, nonce string) bool {
	if nonce == "" {
		return false
	}
	sum := sha256.Sum256([]byte(id + "\x00" + nonce))
	key := [16]byte(sum[:16])
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.seen[key]; ok {
		return true
	}
	n.seen[key] = struct{}{}
	if len(n.order) < maxNonces {
		n.order = append(n.order, key)
		return false
	}
	delete(n.seen, n.order[n.next])
	n.order[n.next] = key
	n.next = (n.next + 1) % maxNonces
	return false
}
