package nodecall

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Answer is the answer of one node.
type Answer struct {
	Value wire.Raw
	Err   error // reported by the node, or why it did not answer
}

// Reasons why a question ends without an answer.
var (
	ErrSilent = errors.New("the node did not answer in time")
	ErrBusy   = errors.New("too many questions are open; try again later")
)

const (
	// maxOpen bounds the open questions of one master.
	maxOpen = 256
	// defaultWithin is the time that nodes have if the caller has no deadline.
	defaultWithin = 10 * time.Second
	// reserve is the divisor for the part of its time that a node keeps for the way back.
	reserve = 8
)

// Questions holds the open questions of a master. It is safe for concurrent use.
type Questions struct {
	publish func(nodes []string, q Question) error

	mu   sync.Mutex
	next uint64
	open map[string]*pending
}

type pending struct {
	answers map[string]Answer
	waiting map[string]bool
	done    chan struct{}
}

// NewQuestions returns a Questions that sends its questions with publish.
func NewQuestions(publish func(nodes []string, q Question) error) *Questions {
	return &Questions{publish: publish, open: map[string]*pending{}}
}

// Ask asks nodes and waits until each has answered or ctx ends. The result has an entry for
// each node; Err is ErrSilent if it did not answer. The nodes get less time than ctx has, so
// that partial answers still arrive. Ask returns ErrBusy if too many questions are open.
func (s *Questions) Ask(ctx context.Context, nodes []string, what string, arg any) (map[string]Answer, error) {
	if len(nodes) == 0 {
		return map[string]Answer{}, nil
	}
	raw, err := wire.Encode(arg)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", what, err)
	}
	q := Question{What: what, Arg: raw, Within: defaultWithin}
	if at, ok := ctx.Deadline(); ok {
		q.Within = time.Until(at)
	}
	q.Within -= q.Within / reserve
	if q.Within < time.Millisecond {
		return nil, fmt.Errorf("ask %s: %w", what, context.DeadlineExceeded)
	}
	p := &pending{answers: make(map[string]Answer, len(nodes)), waiting: make(map[string]bool, len(nodes)), done: make(chan struct{})}
	for _, id := range nodes {
		p.waiting[id] = true
	}
	if err := s.enter(&q, p); err != nil {
		return nil, fmt.Errorf("ask %s: %w", what, err)
	}
	defer s.leave(q.ID)
	if err := s.publish(nodes, q); err != nil {
		return nil, fmt.Errorf("ask %s: %w", what, err)
	}
	late := time.NewTimer(q.Within + q.Within/reserve)
	defer late.Stop()
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-late.C:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]Answer, len(nodes))
	for _, id := range nodes {
		a, ok := p.answers[id]
		if !ok {
			a.Err = ErrSilent
		}
		out[id] = a
	}
	return out, nil
}

func (s *Questions) enter(q *Question, p *pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxOpen {
		return ErrBusy
	}
	s.next++
	q.ID = strconv.FormatUint(s.next, 10)
	s.open[q.ID] = p
	return nil
}

func (s *Questions) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// Take records the answer of a node. It returns false if the answer is not expected: the
// question has ended, was not for this node, or was already answered by it.
func (s *Questions) Take(node, id string, a Answer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.open[id]
	if p == nil || !p.waiting[node] {
		return false
	}
	delete(p.waiting, node)
	p.answers[node] = a
	if len(p.waiting) == 0 {
		close(p.done)
	}
	return true
}
