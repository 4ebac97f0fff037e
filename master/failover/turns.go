package failover

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// turns protects requests that change where a peer belongs against replay. Each must quote the
// token of the previous answer, which is valid once and only in this process. The zero value
// is ready. It holds a number for each peer that has moved.
type turns struct {
	mu     sync.Mutex
	secret []byte
	done   map[string]uint64
}

// acts reports whether a request changes where a peer belongs.
func acts(d *wire.Map) bool {
	return d.Bool("stay") || d.String("leaves") != "" || d.String("transfer") != ""
}

// of returns the token for the next such request of a peer.
func (t *turns) of(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text(id)
}

func (t *turns) text(id string) string {
	if t.secret == nil {
		t.secret = make([]byte, 32)
		_, _ = rand.Read(t.secret) // documented never to fail
	}
	mac := hmac.New(sha256.New, t.secret)
	_, _ = fmt.Fprintf(mac, "%d %s", t.done[id], id) // never fails
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// check rejects a request whose token was used before, and consumes the token.
func (t *turns) check(id string, d *wire.Map) error {
	if !acts(d) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !hmac.Equal([]byte(d.String("turn")), []byte(t.text(id))) {
		return fmt.Errorf("move of %s: %w: token already used; the request was replayed or comes from an older minion", id, sibling.ErrBad)
	}
	if t.done == nil {
		t.done = map[string]uint64{}
	}
	//mutant:recorded-moves
	t.done[id]++
	return nil
}
