package returns

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

// Found is what a look over the outbox has found.
type Found struct {
	// Passed is the first of the rows that are owed this way and were passed
	// nevertheless, Rows how many those are. They are sent now.
	Passed returners.Item
	Rows   int
	// Next is the first row behind that is owed this way while nothing is under
	// way; its Seq is 0 if there is none. It may have come just now.
	Next returners.Item
	// Again asks for another look after [LookAgain]: rows were passed that are owed
	// this way, which may be so for a moment until that is told.
	Again bool
}

// LookAgain is how long rows may be owed this way before Parent.Shifts tells it.
const LookAgain = 100 * time.Millisecond

// passed is a row that the last look has found passed.
type passed struct {
	seq    int64
	shifts uint64
	at     time.Time
}

// Look looks for rows that should have been taken and were not: the window holds
// all that was read and is not done, so there are none unless something is wrong.
func (s *Handover) Look(ctx context.Context) (found Found, err error) {
	p := s.o.Parent
	s.mu.Lock()
	idle := s.inFlight == 0 && !s.trouble && s.shifts == p.Shifts()
	was := s.passed
	s.passed = passed{}
	s.mu.Unlock()
	if !idle || !p.IsUp() || p.IsResting() {
		return found, nil
	}
	for _, dest := range s.o.Dests {
		if err := s.lookAt(ctx, dest, &found); err != nil {
			return found, err
		}
	}
	if found.Rows == 0 {
		return found, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.o.Now()
	if was.seq != found.Passed.Seq || was.shifts != s.shifts || now.Sub(was.at) < LookAgain/2 {
		s.passed = passed{found.Passed.Seq, s.shifts, now}
		found.Rows, found.Again = 0, true
		return found, nil
	}
	s.window.Restart()
	return found, nil
}

func (s *Handover) lookAt(ctx context.Context, dest string, found *Found) error {
	for after := int64(0); ; {
		s.mu.Lock()
		read := s.window.BeginPage(dest)
		s.mu.Unlock()
		page, err := s.o.Outbox.OutboxRead(ctx, dest, after, s.o.Bounds.ForwardRows, s.o.Bounds.ForwardBytes)
		mine := s.mine(page)
		s.mu.Lock()
		for i, it := range page {
			switch {
			case !mine(i):
			case s.window.Passed(it):
				if found.Rows++; found.Rows == 1 {
					found.Passed = it
				}
			case it.Seq > read && found.Next.Seq == 0:
				found.Next = it
			}
		}
		s.window.DropPage()
		s.mu.Unlock()
		if err != nil {
			return fmt.Errorf("read the outbox: %w", err)
		}
		if len(page) == 0 || page[len(page)-1].Seq > read {
			return nil
		}
		after = page[len(page)-1].Seq
	}
}
