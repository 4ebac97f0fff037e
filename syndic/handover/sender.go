package handover

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

const (
	// BatchRows and BatchBytes bound one `_syndic_return`.
	BatchRows  = 500
	BatchBytes = 4 << 20
)

// ErrLeft means that the parent took what it was given but for some rows.
var ErrLeft = errors.New("the master above refuses some returns")

// Parent is one master above as its sender sees it.
type Parent interface {
	// IsUp tells whether the parent can be sent to.
	IsUp() bool
	// IsResting tells whether its last request failed; SetResting notes that.
	IsResting() bool
	SetResting(resting bool)
	// Owns tells whether a row goes this way, those that nobody can take just
	// now included.
	Owns(it returners.Item) bool
	// Shifts counts the changes of who owns which rows.
	Shifts() uint64
	// Request sends a load and waits for the answer.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Sharer is a [Parent] beside others.
type Sharer interface {
	// Given notes that the parent has taken a row. keep: the row stays in the
	// outbox, since another parent is owed it as well.
	Given(it returners.Item) (keep bool)
}

// Laned is a [Parent] that two senders serve at the same time. Owns then also keeps
// them from a job of which the other one has returns under way.
type Laned interface {
	// Landed tells that what the sender owned is not under way any more, and how
	// that went.
	Landed(err error)
}

// Loads reads the load of a job, which goes up with its first return.
type Loads interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
}

// Options of a [Sender]. All but OwnMaster and Log are needed.
type Options struct {
	Parent Parent
	Name   string // of the parent, for errors
	Outbox returners.Outbox
	Dest   string // the parent's destination in the outbox
	Jobs   Loads
	ID     string // of this syndic
	// OwnMaster is the master_id whose returns need not go up: that of a cluster
	// all of whose masters know them. "": all go.
	OwnMaster string
	// Body says what of a return goes up just now. nil: all of it. A master that
	// is not one of ours has to get all.
	Body func() Body
	// Remember is how many jobs are remembered whose load has gone this way.
	Remember int
	// Loaded is where they are, for senders that share it. nil: one of its own.
	Loaded *Recent[struct{}]
	Log    *slog.Logger
	// Now is the time. Default: the machine's.
	Now func() time.Time
}

// Sender hands returns to one master above. It belongs to one goroutine.
type Sender struct {
	o      Options
	loaded *Recent[struct{}] // jids whose load has gone this way

	after    int64 // rows up to here are done, or go another way
	shifts   uint64
	size     int               // rows per batch, fewer while something is refused
	taken    uint64            // counts batches the parent took
	suspects map[int64]suspect // refused rows
}

// New makes a sender that has sent nothing yet.
func New(o Options) *Sender {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Loaded == nil {
		o.Loaded = NewRecent[struct{}](o.Remember)
	}
	return &Sender{o: o, size: BatchRows, suspects: map[int64]suspect{}, loaded: o.Loaded}
}

// Turn sends all that is owed this way. After an error it is worth a new turn when
// some time has passed; after ErrLeft also when there is something new.
func (s *Sender) Turn(ctx context.Context) error {
	var err error
	if s.o.Parent.IsResting() {
		err = s.probe(ctx)
	}
	if err == nil {
		err = s.drain(ctx)
	}
	if err == nil {
		s.o.Parent.SetResting(false)
		return nil
	}
	if ctx.Err() == nil {
		s.o.Parent.SetResting(!errors.Is(err, ErrLeft))
	}
	s.after = 0
	return err
}

// drain sends batch after batch until nothing is owed this way.
func (s *Sender) drain(ctx context.Context) error {
	refused := 0 // rows refused alone since the parent last took something
	left := false
	for s.o.Parent.IsUp() {
		if n := s.o.Parent.Shifts(); n != s.shifts {
			s.shifts, s.after = n, 0
		}
		rows, err := s.o.Outbox.OutboxRead(ctx, s.o.Dest, s.after, s.size, BatchBytes)
		if err != nil {
			return fmt.Errorf("read the outbox: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		mine, early := s.ripe(s.own(rows))
		notNow, err := s.send(ctx, mine)
		s.landed(err)
		left = left || early || len(notNow) > 0
		switch {
		case err == nil:
			refused, s.size = 0, min(2*s.size, BatchRows)
			if err := s.postpone(ctx, notNow); err != nil {
				return err
			}
		case !errors.Is(err, ErrNotTaken):
			s.size = max(s.size/2, 1)
			return err
		case len(rows) > 1: // one of them may be at fault
			s.size = max(len(rows)/2, 1)
			continue
		default:
			if refused++; refused > 1 {
				return err // nothing is taken: the parent is at fault
			}
			stays, err := s.strike(ctx, rows[0], err)
			if err != nil {
				return err
			}
			left = left || stays
		}
		s.after = rows[len(rows)-1].Seq
	}
	if left {
		return ErrLeft
	}
	return nil
}

// Help sends what is owed this way beside a sender that waits for an answer. What
// is not taken at once is that one's matter: it begins anew then, and so does this.
func (s *Sender) Help(ctx context.Context) error {
	for s.o.Parent.IsUp() && !s.o.Parent.IsResting() {
		if n := s.o.Parent.Shifts(); n != s.shifts {
			s.shifts, s.after = n, 0
		}
		rows, err := s.o.Outbox.OutboxRead(ctx, s.o.Dest, s.after, BatchRows, BatchBytes)
		if err != nil {
			return fmt.Errorf("read the outbox: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		if mine := s.own(rows); len(mine) > 0 {
			_, err = s.send(ctx, mine) // what is left is the other one's matter, too
			s.landed(err)
			if err != nil {
				return err
			}
		}
		s.after = rows[len(rows)-1].Seq
	}
	return nil
}

func (s *Sender) landed(err error) {
	if l, ok := s.o.Parent.(Laned); ok {
		l.Landed(err)
	}
}

// probe asks a parent whose last request failed whether it takes returns again,
// by a request without any: meanwhile another parent may have taken them over.
func (s *Sender) probe(ctx context.Context) error {
	err := Verdict(s.o.Parent.Request(ctx, wire.NewMap("cmd", "_syndic_return", "load", []any{})))
	if err != nil {
		return fmt.Errorf("ask whether %s takes returns again: %w", s.o.Name, err)
	}
	return nil
}

// own picks the rows that go this way.
func (s *Sender) own(rows []returners.Item) []returners.Item {
	mine := rows[:0:0]
	for _, it := range rows {
		if s.o.Parent.Owns(it) {
			mine = append(mine, it)
		}
	}
	return mine
}

// reject sets a row aside that can never be delivered.
func (s *Sender) reject(ctx context.Context, it returners.Item, why error) error {
	s.o.Log.Error("A return cannot be handed up and was set aside; it is kept in the outbox under "+returners.Rejected(s.o.Dest),
		"jid", it.JID, "minion", it.ID, "row", it.Seq, "err", why)
	if err := s.o.Outbox.OutboxReject(ctx, s.o.Dest, it.Seq, why.Error()); err != nil {
		return fmt.Errorf("set a row of the outbox aside: %w", err)
	}
	return nil
}

// Again hands over rows that are in the outbox no more: a second parent asks for
// a job whose returns the first has already.
func (s *Sender) Again(ctx context.Context, rows []returners.Item) error {
	for len(rows) > 0 {
		n, size := 0, 0
		for n < len(rows) && n < BatchRows && (n == 0 || size+len(rows[n].Payload) <= BatchBytes) {
			size += len(rows[n].Payload)
			n++
		}
		b := s.batch()
		for _, it := range rows[:n] {
			if err := b.add(it); err != nil {
				s.o.Log.Error("A stored return cannot be handed up", "jid", it.JID, "minion", it.ID, "err", err)
			}
		}
		if len(b.jobs) > 0 {
			load, err := b.load(ctx)
			if err != nil {
				return err
			}
			rows, err := s.request(ctx, load)
			if err == nil && len(rows.Left) > 0 {
				err = fmt.Errorf("%w: %d of them", ErrNotTaken, len(rows.Left))
			}
			if err != nil {
				return fmt.Errorf("hand %d returns to %s once more: %w", b.returns, s.o.Name, err)
			}
		}
		rows = rows[n:]
	}
	return nil
}

// send hands rows over and removes what the parent has acknowledged. It gives back
// those that the parent does not take now.
func (s *Sender) send(ctx context.Context, rows []returners.Item) (notNow []returners.Item, err error) {
	b := s.batch()
	var refused map[wire.ReturnOf]string
	for _, it := range rows {
		if err := b.add(it); err != nil {
			if err := s.reject(ctx, it, err); err != nil {
				return nil, err
			}
		}
	}
	if len(b.jobs) > 0 {
		load, err := b.load(ctx)
		if err != nil {
			return nil, err
		}
		verdicts, err := s.request(ctx, load)
		if err != nil {
			return nil, fmt.Errorf("hand %d returns to %s: %w", b.returns, s.o.Name, err)
		}
		refused = verdicts.Refused
		rows, notNow = b.leave(rows, verdicts.Left)
		if b.returns > len(notNow) {
			s.taken++
		}
	}
	b.keep(rows)
	if err := s.setAside(ctx, b, rows, refused); err != nil {
		return nil, err
	}
	if err := s.o.Outbox.OutboxAck(ctx, s.o.Dest, b.done); err != nil {
		return nil, fmt.Errorf("clear the outbox: %w", err)
	}
	for _, seq := range b.done {
		delete(s.suspects, seq)
	}
	for _, j := range b.jobs {
		s.loaded.Set(j.jid, struct{}{})
	}
	return notNow, nil
}
