package returns

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

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
	// Abreast tells how many requests may be under way at a time, and whether
	// those must be about different jobs.
	Abreast() (requests int, apart bool)
	// Request sends a load and waits for the answer.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Sharer is a [Parent] beside others.
type Sharer interface {
	// Others are the destinations that are owed a row too, which this parent has
	// taken.
	Others(it returners.Item) []string
	// Owes tells that the outbox holds rows for one of those by now.
	Owes(dest string)
}

// Outbox is what a sender does with the outbox of its node.
type Outbox interface {
	OutboxRead(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]returners.Item, error)
	OutboxMove(ctx context.Context, dest string, rows []returners.Move) error
	OutboxReject(ctx context.Context, dest string, seq int64, reason string) error
}

// Loads reads the load of a job, which goes up with its first return.
type Loads interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
}

// HandoverOptions of a [Handover]. All but OwnMaster, Body, Bounds, Again, Log and Now are
// needed.
type HandoverOptions struct {
	Parent Parent
	Name   string // of the parent, for errors
	Outbox Outbox
	// Dests are the destinations in the outbox whose rows go this way: those of
	// all parents together, of which Parent.Owns picks, and its own.
	Dests []string
	Jobs  Loads
	ID    string // of this syndic
	// OwnMaster is the master_id whose returns need not go up: that of a cluster
	// all of whose masters know them. "": all go.
	OwnMaster string
	// Body says what of a return goes up just now. nil: all of it. A master that
	// is not one of ours has to get all.
	Body func() Body
	// Remember is how many jobs are remembered whose load has gone this way.
	Remember int
	// Bounds are those of a request and of the window; what is not set is the
	// default.
	Bounds bounds.Bounds
	// Again is the least time before a row that was refused alone is sent again.
	// Default 200 ms.
	Again time.Duration
	Log   *slog.Logger
	// Sent is told of a request that was answered, or was not: how many returns of which
	// jobs it had. nil: nobody is.
	Sent func(ctx context.Context, returns map[string]int, begun time.Time, err error)
	// Now is the time. Default: the machine's.
	Now func() time.Time
}

// Handover hands returns to one master above, several requests at a time. Next, Sweep and Due belong to one
// goroutine; what has departed may fly on others.
type Handover struct {
	o      HandoverOptions
	loaded *lru.Map[string, struct{}] // jids whose load has gone this way

	mu       sync.Mutex
	window   *Window
	shifts   uint64
	inFlight int
	size     int       // rows per request, fewer while something is refused
	trouble  bool      // something was not taken: one request at a time
	proven   bool      // a parent that rests has said that it takes returns again
	refused  int       // rows refused alone since the parent last took something
	last     int64     // the last of them
	taken    uint64    // counts requests of which the parent took something
	looked   time.Time // when rows that rest were looked for

	first  int    // the destination that was read first
	passed passed // a row that may have been passed, of the last look
}

// NewHandover makes a Handover that has sent nothing.
func NewHandover(o HandoverOptions) *Handover {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Again <= 0 {
		o.Again = 200 * time.Millisecond
	}
	o.Bounds = o.Bounds.OrDefault()
	return &Handover{
		o: o, size: o.Bounds.ForwardRows, loaded: lru.New[string, struct{}](o.Remember),
		window: NewWindow(WindowOptions{Rows: o.Bounds.ForwardWindow, Bytes: o.Bounds.ForwardWindowBytes, Resting: o.Bounds.ForwardResting}),
	}
}

// Request is a request that is to be sent by [Handover.Send].
type Request struct {
	rows  []returners.Item
	probe bool // it asks whether the parent takes returns again
}

// Next gives the next request that can go now; nil: nothing can. After an error
// it is worth another attempt when some time has passed.
func (s *Handover) Next(ctx context.Context) (*Request, error) {
	p := s.o.Parent
	if !p.IsUp() {
		return nil, nil
	}
	rests := p.IsResting()
	most, apart := p.Abreast()
	now := s.o.Now()
	s.mu.Lock()
	s.looked = now // also where nothing can go: it goes when what is under way has landed
	if n := p.Shifts(); n != s.shifts {
		s.shifts = n
		s.window.Restart()
	}
	if s.trouble || rests {
		most = 1
	}
	if s.inFlight >= max(most, 1) {
		s.mu.Unlock()
		return nil, nil
	}
	if rests && !s.proven {
		s.inFlight++
		s.mu.Unlock()
		return &Request{probe: true}, nil
	}
	size := s.size
	s.mu.Unlock()
	if err := s.fill(ctx, now, size, apart); err != nil {
		s.failed(ctx)
		return nil, err
	}
	s.mu.Lock()
	rows := s.window.Take(size, s.o.Bounds.ForwardBytes, apart)
	if len(rows) > 0 {
		s.inFlight++
	}
	idle := len(rows) == 0 && s.inFlight == 0
	s.mu.Unlock()
	if len(rows) > 0 {
		return &Request{rows: rows}, nil
	}
	if idle && rests { // it answers, and nothing is owed
		s.fine()
	}
	return nil, nil
}

// fill reads until so many rows can be taken, the window is full, or nothing is left.
func (s *Handover) fill(ctx context.Context, now time.Time, size int, apart bool) error {
	for _, dest := range s.o.Dests {
		if err := s.recall(ctx, dest, now); err != nil {
			return err
		}
	}
	s.first++ // a destination that is owed much must not keep the other one waiting
	for more := true; more; {
		more = false
		for i := range s.o.Dests {
			s.mu.Lock()
			room, bytes := s.window.Room(false)
			ready := s.window.Ready(apart)
			s.mu.Unlock()
			if room == 0 || ready >= size {
				return nil
			}
			limit := min(room, s.o.Bounds.ForwardRows)
			n, err := s.page(ctx, s.o.Dests[(s.first+i)%len(s.o.Dests)], limit, bytes)
			if err != nil {
				return err
			}
			more = more || n == limit || n > 0 && ready == 0
		}
	}
	return nil
}

// page reads on in one destination.
func (s *Handover) page(ctx context.Context, dest string, limit, bytes int) (n int, err error) {
	s.mu.Lock()
	after := s.window.BeginPage(dest)
	s.mu.Unlock()
	page, err := s.o.Outbox.OutboxRead(ctx, dest, after, limit, bytes)
	mine := s.mine(page)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.window.DropPage()
		return 0, fmt.Errorf("read the outbox: %w", err)
	}
	s.window.EndPage(dest, page, mine)
	return len(page), nil
}

// recall reads rows again that have rested long enough.
func (s *Handover) recall(ctx context.Context, dest string, now time.Time) error {
	for {
		s.mu.Lock()
		room, bytes := s.window.Room(true)
		first, ok := s.window.Due(dest, now)
		s.mu.Unlock()
		if !ok || room == 0 {
			return nil
		}
		page, err := s.o.Outbox.OutboxRead(ctx, dest, first-1, room, bytes)
		if err != nil {
			return fmt.Errorf("read the outbox: %w", err)
		}
		mine := s.mine(page)
		s.mu.Lock()
		s.window.Recall(dest, now, page, mine)
		s.mu.Unlock()
	}
}

// mine asks who owns the rows of a page, without the lock: that may take a look into
// the store.
func (s *Handover) mine(page []returners.Item) func(i int) bool {
	owned := make([]bool, len(page))
	for i := range page {
		owned[i] = s.o.Parent.Owns(page[i])
	}
	return func(i int) bool { return owned[i] }
}

// Due tells when Next is worth a call although nothing has come; false: never.
func (s *Handover) Due() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window.Wakes(s.looked)
}

// Held counts the rows that wait in memory or are under way.
func (s *Handover) Held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, _ := s.window.Len()
	return int64(held)
}

// failed notes that the parent does not take anything now.
func (s *Handover) failed(ctx context.Context) {
	s.mu.Lock()
	s.trouble, s.proven, s.refused, s.last = true, false, 0, 0
	s.size = max(s.size/2, 1)
	s.mu.Unlock()
	if ctx.Err() == nil {
		s.o.Parent.SetResting(true)
	}
}

// fine notes that the parent takes what it is given.
func (s *Handover) fine() {
	s.mu.Lock()
	s.trouble, s.proven, s.refused, s.last = false, false, 0, 0
	s.mu.Unlock()
	s.o.Parent.SetResting(false)
}
