package returners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/momtree/mom/internal/logs"
)

// Defaults of GroupConfig.
const (
	DefaultGroupRows    = 500
	DefaultGroupBytes   = 8 << 20
	DefaultGroupPending = 20000
	DefaultGroupMemory  = 64 << 20
	DefaultGroupTimeout = 30 * time.Second
)

// GroupConfig tunes a Group; zero values mean the defaults.
type GroupConfig struct {
	MaxRows  int // returns, loads, … of one transaction, without its outbox rows
	MaxBytes int // payload bytes of one transaction; a larger submission is committed alone

	// MaxPending and MaxMemory bound the waiting submissions, in rows and payload bytes.
	// Commit blocks while a bound is reached, so that senders wait instead of memory
	// growing.
	MaxPending int
	MaxMemory  int

	// CommitTimeout bounds the wait for the store's write lock.
	CommitTimeout time.Duration

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

func (c *GroupConfig) fill() {
	setDefault(&c.MaxRows, DefaultGroupRows)
	setDefault(&c.MaxBytes, DefaultGroupBytes)
	setDefault(&c.MaxPending, DefaultGroupPending)
	setDefault(&c.MaxMemory, DefaultGroupMemory)
	setDefault(&c.CommitTimeout, DefaultGroupTimeout)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

func setDefault[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Group lets many submissions share one durable commit. Submissions gather while a commit
// runs. An idle group commits at once, so it adds no latency.
type Group struct {
	c    Committer
	cfg  GroupConfig
	rows *semaphore.Weighted
	mem  *semaphore.Weighted
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	queue  []*submission
	closed bool
	stats  GroupStats

	failures logs.Throttle[string] // by cause
}

// submission is one waiting batch, and its outcome.
type submission struct {
	b           Batch
	rows, bytes int
	release     func()
	done        chan struct{}
	res         Result
	err         error
}

// NewGroup starts a Group over c. Close ends it.
func NewGroup(c Committer, cfg GroupConfig) *Group {
	cfg.fill()
	g := &Group{
		c: c, cfg: cfg,
		rows: semaphore.NewWeighted(int64(cfg.MaxPending)),
		mem:  semaphore.NewWeighted(int64(cfg.MaxMemory)),
		wake: make(chan struct{}, 1),
		done: make(chan struct{}),
	}
	go g.run()
	return g
}

// Commit stores a batch and waits until the commit that holds it is durable. The result
// says for each return whether it was new.
//
// If ctx ends first, the batch is withdrawn, and is never stored. A commit that has begun is
// waited for: its outcome is always the one returned.
func (g *Group) Commit(ctx context.Context, b Batch) (Result, error) {
	if err := b.Validate(); err != nil {
		return Result{}, err // before it joins a group, so that it fails no other commit
	}
	s := &submission{b: b, done: make(chan struct{})}
	if s.rows = b.Rows() - len(b.Outbox); b.Rows() == 0 {
		return Result{}, nil
	}
	s.bytes = b.Bytes()
	release, err := g.admit(ctx, s)
	if err != nil {
		return Result{}, err
	}
	s.release = release
	if err := g.enqueue(s); err != nil {
		release()
		return Result{}, err
	}
	select {
	case <-s.done:
		return s.res, s.err
	case <-ctx.Done():
		//mutant:outcome-of-a-begun-commit
		if g.withdraw(s) {
			return Result{}, fmt.Errorf("wait for a commit: %w", ctx.Err())
		}
		<-s.done
		return s.res, s.err
	}
}

// withdraw removes a submission from the queue. It returns false if a commit has taken it.
func (g *Group) withdraw(s *submission) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.queue, s)
	if i < 0 {
		return false
	}
	g.queue = slices.Delete(g.queue, i, i+1)
	s.release()
	return true
}

// admit waits for room within the bounds. A submission larger than a bound takes all of it.
func (g *Group) admit(ctx context.Context, s *submission) (release func(), err error) {
	rows, mem := int64(min(max(s.rows, 1), g.cfg.MaxPending)), int64(min(max(s.bytes, 1), g.cfg.MaxMemory))
	if err := g.rows.Acquire(ctx, rows); err != nil {
		return nil, fmt.Errorf("wait for room before a commit: %w", err)
	}
	if err := g.mem.Acquire(ctx, mem); err != nil {
		g.rows.Release(rows)
		return nil, fmt.Errorf("wait for room before a commit: %w", err)
	}
	return func() { g.mem.Release(mem); g.rows.Release(rows) }, nil
}

func (g *Group) enqueue(s *submission) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return fmt.Errorf("group commit: %w", ErrClosed)
	}
	g.queue = append(g.queue, s)
	select {
	case g.wake <- struct{}{}:
	default:
	}
	return nil
}

// run commits the waiting submissions until the group is closed.
func (g *Group) run() {
	defer close(g.done)
	for {
		subs, closed := g.take()
		switch {
		case len(subs) > 0:
			g.commit(subs)
		case closed:
			return
		default:
			<-g.wake
		}
	}
}

// take removes the submissions of the next commit from the queue.
func (g *Group) take() (subs []*submission, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	rows, size, n := 0, 0, 0
	for _, s := range g.queue {
		if n > 0 && (rows+s.rows > g.cfg.MaxRows || size+s.bytes > g.cfg.MaxBytes) {
			break
		}
		rows, size, n = rows+s.rows, size+s.bytes, n+1
	}
	subs = slices.Clone(g.queue[:n])
	g.queue = slices.Delete(g.queue, 0, n)
	return subs, g.closed
}

// commit stores submissions together and passes each its part of the result. When the store
// rejects the batch for its content, commit stores each submission alone.
func (g *Group) commit(subs []*submission) {
	started := g.cfg.Now()
	res, err := g.store(join(subs))
	g.count(subs, err, g.cfg.Now().Sub(started))
	if err != nil && len(subs) > 1 && !forAll(err) {
		for _, s := range subs {
			g.commit([]*submission{s})
		}
		return
	}
	var loads, exps, rets int
	for _, s := range subs {
		if s.err = err; err == nil {
			s.res.NewLoads = cut(res.NewLoads, &loads, len(s.b.Loads))
			s.res.NewExpectations = cut(res.NewExpectations, &exps, len(s.b.Expectations))
			s.res.NewReturns = cut(res.NewReturns, &rets, len(s.b.Returns))
		}
		s.release()
		close(s.done)
	}
}

func (g *Group) store(b Batch) (Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.cfg.CommitTimeout)
	defer cancel()
	return g.c.Commit(ctx, b)
}

// forAll reports whether a failure concerns the store and not the batch. Retrying parts of
// the batch is pointless then.
func forAll(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrClosed) ||
		errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

func join(subs []*submission) Batch {
	if len(subs) == 1 {
		return subs[0].b
	}
	b := Batch{Unsynced: true}
	for _, s := range subs {
		//mutant:shared-commits-are-synced
		b.Unsynced = b.Unsynced && s.b.Unsynced
		b.Loads = append(b.Loads, s.b.Loads...)
		b.Expectations = append(b.Expectations, s.b.Expectations...)
		b.Returns = append(b.Returns, s.b.Returns...)
		b.Events = append(b.Events, s.b.Events...)
		b.Outbox = append(b.Outbox, s.b.Outbox...)
		b.Notes = append(b.Notes, s.b.Notes...)
	}
	return b
}

// cut takes the next n entries of all; a committer may leave out parts of its result.
func cut(all []bool, from *int, n int) []bool {
	start := *from
	*from += n
	if *from > len(all) {
		return nil
	}
	return all[start:*from:*from]
}

// Close commits what was submitted, ends the group and waits until it ended. Later
// submissions get ErrClosed. It may be called more than once.
func (g *Group) Close() error {
	g.mu.Lock()
	if !g.closed {
		g.closed = true
		close(g.wake)
	}
	g.mu.Unlock()
	<-g.done
	return nil
}
