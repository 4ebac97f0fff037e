package origins

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
)

// Unrequested finds jobs that arrived with minions or nodes working on them: neither a parent nor
// this node's users requested them here. Any parent may be waiting for their returns. It is safe
// for concurrent use.
type Unrequested struct {
	jobs returners.Reader
	own  *lru.Map[string, struct{}] // jobs known not to be unrequested
}

// loadTimeout bounds a read of the job store.
const loadTimeout = 5 * time.Second

// NewUnrequested returns a cache over the job store; most bounds the negative results it keeps.
func NewUnrequested(jobs returners.Reader, most int) *Unrequested {
	return &Unrequested{jobs: jobs, own: lru.New[string, struct{}](most)}
}

// Has reports whether the job of a return is unrequested, provided that no parent is known to have
// requested it. It returns false if the store cannot be read; a row that stays is checked again.
func (s *Unrequested) Has(it returners.Item) bool {
	if s.own.Contains(it.JID) {
		return false
	}
	via := ""
	if it.Return != nil {
		via = it.Return.Via
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	unrequested, err := IsUnrequested(ctx, s.jobs, it.JID, via)
	if err == nil && !unrequested {
		s.own.Add(it.JID, struct{}{})
	}
	return unrequested && err == nil
}
