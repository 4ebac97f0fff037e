package syndic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// strikes is how often the parent may refuse a row that it is given alone, before
// the row is set aside. The parent must have taken others in the meantime.
const strikes = 3

// sender hands returns to one master above.
type sender struct {
	l      *link
	kick   chan struct{}
	back   chan struct{}     // the parent is usable again
	loaded *recent[struct{}] // jids whose load has gone this way

	// What follows belongs to run.
	after    int64 // rows up to here are done, or are another link's
	shifts   uint64
	size     int               // rows per batch, fewer while something is refused
	taken    uint64            // counts batches the parent took
	suspects map[int64]suspect // refused rows
}

type suspect struct {
	strikes int
	taken   uint64 // when it was first refused
}

func newSender(l *link) *sender {
	return &sender{
		l: l, kick: make(chan struct{}, 1), back: make(chan struct{}, 1), size: batchRows, suspects: map[int64]suspect{},
		loaded: newRecent[struct{}](l.s.cfg.Local.SyndicJidForwardCacheHwm),
	}
}

var errLeft = errors.New("the master above refuses some returns")

// run sends until ctx ends, whenever it is kicked.
func (s *sender) run(ctx context.Context) {
	retry := s.l.s.pace.backoff()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-s.back:
		}
		for s.l.isUp() && ctx.Err() == nil {
			var err error
			if s.l.isResting() {
				err = s.probe(ctx)
			}
			if err == nil {
				err = s.drain(ctx)
			}
			if err == nil {
				retry.reset()
				s.l.rest(false)
				break
			}
			if ctx.Err() != nil {
				return
			}
			left := errors.Is(err, errLeft)
			wait := retry.wait()
			s.l.log.Warn("Returns could not be handed to the master above; they stay in the outbox", "err", err, "retry_in", wait)
			s.l.rest(!left)
			s.pause(ctx, wait, left)
			s.after = 0
		}
	}
}

// pause waits for d, until the parent is back, or for work if that makes sense.
func (s *sender) pause(ctx context.Context, d time.Duration, work bool) {
	kick := s.kick
	if !work {
		kick = nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-s.back:
	case <-kick:
	}
}

// drain sends batch after batch until nothing is owed this way.
func (s *sender) drain(ctx context.Context) error {
	refused := 0 // rows refused alone since the parent last took something
	left := false
	for s.l.isUp() {
		if n := s.l.s.returns.shifts.Load(); n != s.shifts {
			s.shifts, s.after = n, 0
		}
		rows, err := s.l.s.local.Outbox().OutboxRead(ctx, OutboxDest, s.after, s.size, batchBytes)
		if err != nil {
			return fmt.Errorf("read the outbox: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		err = s.send(ctx, s.own(rows))
		switch {
		case err == nil:
			refused, s.size = 0, min(2*s.size, batchRows)
		case !errors.Is(err, errNotTaken):
			s.size = max(s.size/2, 1)
			return err
		case len(rows) > 1: // one of them may be at fault
			s.size = max(len(rows)/2, 1)
			continue
		default:
			if refused++; refused > 1 {
				return err // nothing is taken: the parent is at fault
			}
			if left, err = s.strike(ctx, rows[0], err); err != nil {
				return err
			}
		}
		s.after = rows[len(rows)-1].Seq
	}
	if left {
		return errLeft
	}
	return nil
}

// probe asks a parent whose last request failed whether it takes returns again,
// by a request without any: meanwhile another parent may have taken them over.
func (s *sender) probe(ctx context.Context) error {
	err := verdict(s.l.request(ctx, wire.NewMap("cmd", "_syndic_return", "load", []any{})))
	if err != nil {
		return fmt.Errorf("ask whether %s takes returns again: %w", s.l.name, err)
	}
	return nil
}

// own picks the rows that go this way, those that nobody can take just now
// included.
func (s *sender) own(rows []returners.Item) []returners.Item {
	p := s.l.s.parents
	mine := rows[:0:0]
	for _, it := range rows {
		master := ""
		if it.Return != nil {
			master = it.Return.MasterID
		}
		if owner := p.owner(it.JID, master); owner == s.l || owner == nil {
			mine = append(mine, it)
		}
	}
	return mine
}

// strike counts a refusal of a row that was sent alone, and sets the row aside
// when it is clear that the row is at fault. left tells that it stays.
func (s *sender) strike(ctx context.Context, it returners.Item, why error) (left bool, err error) {
	c, known := s.suspects[it.Seq]
	if !known {
		c.taken = s.taken
	}
	c.strikes++
	if c.strikes < strikes || c.taken == s.taken {
		if known || len(s.suspects) < batchRows {
			s.suspects[it.Seq] = c
		}
		return true, nil
	}
	delete(s.suspects, it.Seq)
	return false, s.reject(ctx, it, why)
}

// reject sets a row aside that can never be delivered.
func (s *sender) reject(ctx context.Context, it returners.Item, why error) error {
	s.l.log.Error("A return cannot be handed up and was set aside; it is kept in the outbox under "+returners.Rejected(OutboxDest),
		"jid", it.JID, "minion", it.ID, "row", it.Seq, "err", why)
	if err := s.l.s.local.Outbox().OutboxReject(ctx, OutboxDest, it.Seq, why.Error()); err != nil {
		return fmt.Errorf("set a row of the outbox aside: %w", err)
	}
	return nil
}

// send hands rows over and removes what the parent has acknowledged.
func (s *sender) send(ctx context.Context, rows []returners.Item) error {
	b := s.batch()
	for _, it := range rows {
		if err := b.add(it); err != nil {
			if err := s.reject(ctx, it, err); err != nil {
				return err
			}
		}
	}
	if len(b.jobs) > 0 {
		load, err := b.load(ctx)
		if err != nil {
			return err
		}
		if err := verdict(s.l.request(ctx, load)); err != nil {
			return fmt.Errorf("hand %d returns to %s: %w", b.returns, s.l.name, err)
		}
		s.taken++
	}
	if err := s.l.s.local.Outbox().OutboxAck(ctx, OutboxDest, b.done); err != nil {
		return fmt.Errorf("clear the outbox: %w", err)
	}
	for _, seq := range b.done {
		delete(s.suspects, seq)
	}
	for _, j := range b.jobs {
		s.loaded.set(j.jid, struct{}{})
	}
	return nil
}
