package admission

import (
	"context"
	"errors"
	"sync"
)

// ErrShare says that a peer has reached its limit of waiting requests.
var ErrShare = errors.New("too many requests of this kind are waiting for this peer")

// Shares limits the concurrent costly requests of each peer. Further requests of a peer wait for
// its own turns and take none from others.
type Shares struct {
	each, waiting int

	mu    sync.Mutex
	peers map[string]*share
}

type share struct {
	turns Turns
	there int // running and waiting
}

// NewShares allows each peer so many running and so many waiting requests.
func NewShares(each, waiting int) *Shares {
	return &Shares{each: each, waiting: waiting, peers: map[string]*share{}}
}

// Take blocks until peer has a turn. give releases it and may be called more than once. The error is
// [ErrShare], or that of ctx.
func (s *Shares) Take(ctx context.Context, peer string) (give func(), err error) {
	s.mu.Lock()
	p := s.peers[peer]
	if p == nil {
		p = &share{turns: NewTurns(s.each)}
		s.peers[peer] = p
	}
	if p.there >= s.each+s.waiting {
		s.mu.Unlock()
		return nil, ErrShare
	}
	p.there++
	s.mu.Unlock()
	select {
	case p.turns <- struct{}{}:
		return sync.OnceFunc(func() {
			p.turns.Give()
			s.leave(peer, p)
		}), nil
	case <-ctx.Done():
		s.leave(peer, p)
		return nil, ctx.Err()
	}
}

func (s *Shares) leave(peer string, p *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.there--; p.there == 0 {
		delete(s.peers, peer)
	}
}
