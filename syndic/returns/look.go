package returns

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

// Found is the result of Look.
type Found struct {
	// Passed is the first row that belongs to this parent but was passed over, Rows their number.
	// The window starts over to send them.
	Passed returners.Item
	Rows   int
	// Next is the first unread row of this parent while nothing is in flight; Seq is 0 if there is
	// none. It may have just arrived.
	Next returners.Item
	// Again asks for another Look after [LookAgain]: rows were passed over, but Parent.Shifts may
	// be about to report a change.
	Again bool
}

// LookAgain is how long a change of row ownership may take to show in Parent.Shifts.
const LookAgain = 100 * time.Millisecond

// passed is a row that the last Look found passed over.
type passed struct {
	seq    int64
	shifts uint64
	at     time.Time
}

// Look searches for rows that should have been taken. Every row read is in the window until it is
// done, so it finds nothing unless something is wrong. It reports rows only if two calls find them.
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
