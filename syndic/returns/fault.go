package returns

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

const (
	// strikes is how often the parent may refuse a row that it is given alone,
	// before the row is set aside. The parent must take an error in its place, or
	// have taken others in the meantime: one that takes nothing is itself at fault.
	strikes = 3
	// postponedFor is how long a row that the parent leaves may wait for the parent
	// to be told whose it is, before it is set aside; between attempts lie
	// firstPause to lastPause.
	postponedFor = time.Hour
	firstPause   = time.Second
	lastPause    = time.Minute
)

var errLeftForLong = errors.New("the master above has not taken it for an hour: another node says that it has the minion")

// strike counts a refusal of a row that was sent alone. When the row is clearly at
// fault it is set aside, and an error goes up in its place.
func (s *Handover) strike(ctx context.Context, it returners.Item, why error) Result {
	s.mu.Lock()
	f := s.window.Fault(it.Seq)
	if f.Strikes == 0 {
		f.Taken = s.taken
	}
	f.Strikes++
	othersTaken := f.Taken != s.taken
	// While there are others to be tried they show who is at fault: a parent that
	// takes things again in this very moment would take the error and not the row.
	tell := f.Strikes >= strikes && (othersTaken || !s.window.Untried())
	s.mu.Unlock()
	var ended error
	if tell {
		//mutant:refused-row-becomes-an-error
		ended = s.end(ctx, it, why)
	}
	//mutant:refused-row-error-is-resent
	unheard := ended != nil && !errors.Is(ended, link.ErrNotTaken)
	if !tell || unheard || ended != nil && !othersTaken { // not even that is taken: the parent may be at fault
		s.mu.Lock()
		s.window.Rest(it, f, s.o.Now().Add(s.o.Again))
		s.mu.Unlock()
		if unheard {
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

// postpone has rows that the parent left, the others of their batch taken, wait for
// longer each time. One that waits for too long is set aside.
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
