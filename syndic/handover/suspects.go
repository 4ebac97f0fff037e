package handover

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/returners"
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

// suspect is a row that the parent has refused or left.
type suspect struct {
	strikes int
	taken   uint64    // when it was first refused
	since   time.Time // when it was first left
	next    time.Time // not before
}

// strike counts a refusal of a row that was sent alone. When the row is clearly at
// fault it is set aside, and an error goes up in its place. left tells that it stays.
func (s *Sender) strike(ctx context.Context, it returners.Item, why error) (left bool, err error) {
	c, known := s.suspects[it.Seq]
	if !known {
		c.taken = s.taken
	}
	if c.strikes++; c.strikes < strikes {
		s.suspect(it.Seq, c)
		return true, nil
	}
	ended := s.end(ctx, it, why)
	if ended != nil && c.taken == s.taken { // not even that is taken: the parent may be at fault
		s.suspect(it.Seq, c)
		return true, nil
	}
	delete(s.suspects, it.Seq)
	return false, s.reject(ctx, it, errors.Join(why, ended))
}

// suspect remembers a row, while there are not too many.
func (s *Sender) suspect(seq int64, c suspect) {
	if _, known := s.suspects[seq]; known || len(s.suspects) < mostSuspects {
		s.suspects[seq] = c
	}
}

// mostSuspects bounds the rows that are remembered so. One more is sent each time.
const mostSuspects = 8 * BatchRows

// postpone has rows that the parent left, the others of their batch taken, wait for
// longer each time. One that waits for too long is set aside.
func (s *Sender) postpone(ctx context.Context, rows []returners.Item) error {
	now := s.o.Now()
	for _, it := range rows {
		c, known := s.suspects[it.Seq]
		if !known || c.since.IsZero() {
			c.since = now
			s.o.Log.Warn("The master above does not take a return as yet: another node says that it has the minion",
				"jid", it.JID, "minion", it.ID, "row", it.Seq)
		}
		if now.Sub(c.since) >= postponedFor {
			delete(s.suspects, it.Seq)
			if err := s.reject(ctx, it, errLeftForLong); err != nil {
				return err
			}
			continue
		}
		c.next = now.Add(min(max(firstPause, now.Sub(c.since)), lastPause))
		s.suspect(it.Seq, c)
	}
	return nil
}

// ripe leaves out the rows whose time has not come. early: there are such.
func (s *Sender) ripe(rows []returners.Item) (_ []returners.Item, early bool) {
	if len(s.suspects) == 0 {
		return rows, false
	}
	now := s.o.Now()
	out := rows[:0:0]
	for _, it := range rows {
		if now.Before(s.suspects[it.Seq].next) {
			early = true
			continue
		}
		out = append(out, it)
	}
	return out, early
}
