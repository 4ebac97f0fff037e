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

// Parent is one parent as its Handover sees it.
type Parent interface {
	// IsUp reports whether the parent can be sent to.
	IsUp() bool
	// IsResting reports whether the last request failed; SetResting records it.
	IsResting() bool
	SetResting(resting bool)
	// Owns reports whether a row goes to this parent, rows that no parent can accept now included.
	Owns(it returners.Item) bool
	// Shifts returns the number of changes of row ownership.
	Shifts() uint64
	// Concurrency returns how many requests may be in flight, and whether they must be about
	// different jobs.
	Concurrency() (requests int, apart bool)
	// Request sends a load and blocks until the answer arrives or ctx ends.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Sharer is a [Parent] that shares rows with others.
type Sharer interface {
	// Others returns the destinations that also need a row this parent has accepted.
	Others(it returners.Item) []string
	// Wake reports that the outbox holds rows for one of these destinations.
	Wake(dest string)
}

// Outbox is the part of the node's outbox that a Handover uses. See [returners.SharedOutbox].
type Outbox interface {
	OutboxRead(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]returners.Item, error)
	OutboxMove(ctx context.Context, dest string, rows []returners.Move) error
	OutboxReject(ctx context.Context, dest string, seq int64, reason string) error
}

// Loads reads the load of a job. It is sent with the job's first return.
type Loads interface {
	GetLoad(ctx context.Context, jid string) (returners.Load, bool, error)
}

// HandoverOptions configure a [Handover]. All but OwnMaster, Body, Bounds, Again, Log, Sent and Now
// are required.
type HandoverOptions struct {
	Parent Parent
	Name   string // of the parent, for errors
	Outbox Outbox
	// Dests are the destinations read for this parent: the one that all parents share, filtered by
	// Parent.Owns, and its own.
	Dests []string
	Jobs  Loads
	ID    string // of this node
	// OwnMaster is a master_id whose returns are not sent: all masters of a cluster know them. "":
	// all are sent.
	OwnMaster string
	// Body returns how much of a return is sent now. nil: Full. A parent that is not mom must get
	// Full.
	Body func() Body
	// Remember bounds the jobs whose load is known to have been sent.
	Remember int
	// Bounds bound requests and the window. Zero fields have their defaults.
	Bounds bounds.Bounds
	// Again is the least delay before a row that was refused alone is sent again. Default 200 ms.
	Again time.Duration
	Log   *slog.Logger
	// Sent is called after each request with the number of returns by jid. It may be nil.
	Sent func(ctx context.Context, returns map[string]int, begun time.Time, err error)
	// Now defaults to time.Now.
	Now func() time.Time
}

// Handover sends returns to one parent, several requests at a time. Next, Look and Due must be
// called from one goroutine; Send may run concurrently.
type Handover struct {
	o      HandoverOptions
	loaded *lru.Map[string, struct{}] // jids whose load was sent

	mu       sync.Mutex
	window   *Window
	shifts   uint64
	inFlight int
	size     int       // rows per request; fewer while rows are refused
	trouble  bool      // something was not accepted: one request at a time
	proven   bool      // a resting parent has answered a probe
	refused  int       // rows refused alone since the parent last accepted something
	last     int64     // the last of them
	taken    uint64    // requests of which the parent accepted something
	looked   time.Time // time of the last search for due rows

	first  int    // offset of the destination to read first
	passed passed // row found by the last Look
}

// NewHandover returns a Handover with an empty window.
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

// Request is a request to be sent by [Handover.Send].
type Request struct {
	rows  []returners.Item
	probe bool // empty request that asks whether the parent accepts returns again
}

// Next returns the next request to send now, or nil. It may block on reads of the outbox. After an
// error, try again later.
func (s *Handover) Next(ctx context.Context) (*Request, error) {
	p := s.o.Parent
	if !p.IsUp() {
		return nil, nil
	}
	rests := p.IsResting()
	most, apart := p.Concurrency()
	now := s.o.Now()
	s.mu.Lock()
	s.looked = now // even if nothing can be sent: it is sent when a request in flight ends
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
	if idle && rests { // the parent answers, and no row is pending
		s.succeeded()
	}
	return nil, nil
}

// fill reads until size rows can be taken, the window is full, or nothing is left.
func (s *Handover) fill(ctx context.Context, now time.Time, size int, apart bool) error {
	for _, dest := range s.o.Dests {
		if err := s.recall(ctx, dest, now); err != nil {
			return err
		}
	}
	s.first++ // a destination with many rows must not delay the other
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

// page reads the next page of one destination.
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

// mine returns which rows of a page belong to this parent. It runs without the lock, since Owns may
// read the store.
func (s *Handover) mine(page []returners.Item) func(i int) bool {
	owned := make([]bool, len(page))
	for i := range page {
		owned[i] = s.o.Parent.Owns(page[i])
	}
	return func(i int) bool { return owned[i] }
}

// Due returns when Next should be called although nothing has changed; false if never.
func (s *Handover) Due() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window.Wakes(s.looked)
}

// Held returns the number of rows in memory that wait or are in flight.
func (s *Handover) Held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, _ := s.window.Len()
	return int64(held)
}

// failed records that the parent accepts nothing now.
func (s *Handover) failed(ctx context.Context) {
	s.mu.Lock()
	s.trouble, s.proven, s.refused, s.last = true, false, 0, 0
	s.size = max(s.size/2, 1)
	s.mu.Unlock()
	if ctx.Err() == nil {
		s.o.Parent.SetResting(true)
	}
}

// succeeded records that the parent accepts requests.
func (s *Handover) succeeded() {
	s.mu.Lock()
	s.trouble, s.proven, s.refused, s.last = false, false, 0, 0
	s.mu.Unlock()
	s.o.Parent.SetResting(false)
}
