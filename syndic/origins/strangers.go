package origins

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/returners"
)

// Strangers tells the jobs that came here with minions or nodes at work on them: no
// master above has asked this node for them, and nobody has published them here. Which
// of the masters above waits for their returns is known only where they came from.
type Strangers struct {
	jobs returners.Reader
	own  *lru.Map[string, struct{}] // jids that are none
}

// loadPatience bounds the look into the job store.
const loadPatience = 5 * time.Second

// NewStrangers looks into the job store; most is how many jobs that are none are
// remembered.
func NewStrangers(jobs returners.Reader, most int) *Strangers {
	return &Strangers{jobs: jobs, own: lru.New[string, struct{}](most)}
}

// Has tells whether the job of a return is one, of those that nobody above asked for.
// What the store cannot tell is none now; the row is asked about again if it stays.
func (s *Strangers) Has(it returners.Item) bool {
	if s.own.Contains(it.JID) {
		return false
	}
	via := ""
	if it.Return != nil {
		via = it.Return.Via
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadPatience)
	defer cancel()
	strange, err := Stranger(ctx, s.jobs, it.JID, via)
	if err == nil && !strange {
		s.own.Add(it.JID, struct{}{})
	}
	return strange && err == nil
}
