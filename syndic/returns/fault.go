package returns

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

const (
	// strikes is the number of times the parent may refuse a row sent alone before the row is set
	// aside. The parent must also have accepted an error in its place, or other rows in the
	// meantime: a parent that accepts nothing is itself at fault.
	strikes = 3
	// postponedFor is how long a row may be deferred by the parent before it is set aside: the
	// parent may still learn which node has the minion. Retries are firstPause to lastPause apart.
	postponedFor = time.Hour
	firstPause   = time.Second
	lastPause    = time.Minute
)

var errLeftForLong = errors.New("deferred by the parent for an hour: another node claims the minion")

// strike counts a refusal of a row that was sent alone. When the row is clearly at fault, strike
// sends an error in its place and sets the row aside.
func (s *Handover) strike(ctx context.Context, it returners.Item, why error) Result {
	s.mu.Lock()
	f := s.window.Fault(it.Seq)
	if f.Strikes == 0 {
		f.Taken = s.taken
	}
	f.Strikes++
	othersTaken := f.Taken != s.taken
	// Untried rows show who is at fault. A parent that recovers at this moment would accept the
	// error instead of the row.
	giveUp := f.Strikes >= strikes && (othersTaken || !s.window.Untried())
	s.mu.Unlock()
	var ended error
	if giveUp {
		//mutant:refused-row-becomes-an-error
		ended = s.end(ctx, it, why)
	}
	//mutant:refused-row-error-is-resent
	unanswered := ended != nil && !errors.Is(ended, link.ErrNotTaken)
	if !giveUp || unanswered || ended != nil && !othersTaken { // the error is refused too: the parent may be at fault
		s.mu.Lock()
		s.window.Rest(it, f, s.o.Now().Add(s.o.Again))
		s.mu.Unlock()
		if unanswered {
			return Result{Err: ended}
		}
		return Result{}
	}
	if err := s.reject(ctx, it, errors.Join(why, ended)); err != nil {
		s.back([]returners.Item{it})
		return Result{Err: err}
	}
	return Result{Taken: ended == nil}
}

// postpone delays rows that the parent deferred while it accepted others of their batch, longer
// each time. It sets a row aside after postponedFor.
func (s *Handover) postpone(ctx context.Context, rows []returners.Item) error {
	now := s.o.Now()
	for i, it := range rows {
		s.mu.Lock()
		f := s.window.Fault(it.Seq)
		first := f.Since.IsZero()
		if first {
			f.Since = now
		}
		late := now.Sub(f.Since) >= postponedFor
		if !late {
			s.window.Rest(it, f, now.Add(min(max(firstPause, now.Sub(f.Since)), lastPause)))
		}
		s.mu.Unlock()
		if first {
			s.o.Log.Warn("parent deferred a return: another node claims the minion",
				"jid", it.JID, "minion", it.ID, "row", it.Seq)
		}
		if !late {
			continue
		}
		if err := s.reject(ctx, it, errLeftForLong); err != nil {
			s.back(rows[i:])
			return err
		}
	}
	return nil
}
