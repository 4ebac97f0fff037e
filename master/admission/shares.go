package admission

import (
	"context"
	"errors"
	"sync"
)

// ErrShare says that a peer has as much waiting as it may.
var ErrShare = errors.New("it has too many requests of this kind waiting")

// Shares bound how much of what is costly each peer has done at once. The rest of what it
// asks for waits behind its own, and takes no turn from others.
type Shares struct {
	each, waiting int

	mu    sync.Mutex
	peers map[string]*share
}

type share struct {
	turns Turns
	there int // at work and waiting
}

// NewShares lets each peer have so many at work, and so many waiting.
func NewShares(each, waiting int) *Shares {
	return &Shares{each: each, waiting: waiting, peers: map[string]*share{}}
}

// Take waits for a turn of a peer; the function that it gives, which may be called more than
// once, gives it back. The error is [ErrShare], or that of ctx.
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
