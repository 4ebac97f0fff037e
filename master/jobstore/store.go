package jobstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/age"
	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Options of a [Store].
type Options struct {
	// Local is the embedded store. The Store closes it.
	Local returners.JobStore
	// OpenRemote opens the database that master_job_cache names; nil: none. It
	// is tried again until it succeeds.
	OpenRemote func(ctx context.Context) (returners.Returner, error)
	// Parent is the outbox destination of what goes to the master above; "":
	// this master is the top.
	Parent string
	// OpenEvents opens the database that event_return names; nil: none. Where
	// OpenRemote is set it leads to the same one.
	OpenEvents func(ctx context.Context) (returners.Returner, error)
	// MaxRows and MaxBytes bound what waits for one destination; while one of
	// them is reached nothing new is taken (ErrOutboxFull). What is being
	// committed at that moment comes on top. 0: no bound.
	MaxRows, MaxBytes int64
	// NoResults keeps who returned but not what (job_cache: False).
	NoResults bool
	// Keep is how long jobs are kept. 0 keeps them for ever.
	Keep time.Duration
	// Every is the time between two clean-ups. Default a minute.
	Every time.Duration
	// Age tells how old jobs are; Local was opened with it. nil: Now does, and it is
	// believed.
	Age *age.Clock
	// Busy lists the jobs that must not be removed however old they are: those that
	// are open, or queued, or of which a master above has not heard the end. It is
	// asked before anything is removed. nil: there are none.
	Busy func() []string
	// Bounds are those of commits, of batches into SQL and of the clean-up; those
	// that are not set are the defaults.
	Bounds bounds.Bounds
	// Rescue counts rows that went into the database without having been told of. nil:
	// they are not counted.
	Rescue *rescue.Counter
	Log    *slog.Logger
	Now    func() time.Time
}

// Store is safe for concurrent use. Run has to run for the remote store and the
// clean-up.
type Store struct {
	o     Options
	group *returners.Group
	dests []string
	grown chan struct{} // told when the parent's outbox has grown
	full  sync.Map      // destination → struct{}: it is at a bound, and this was said
	asked sync.Map      // jid → struct{}: its results are kept in spite of NoResults

	mu     sync.Mutex
	opened returners.Returner // the database, once it could be opened
	remote returners.Returner // the same if it is the job cache
	drain  *returners.Drain
}

// New makes a store over the embedded one.
func New(o Options) *Store {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every <= 0 {
		o.Every = time.Minute
	}
	o.Bounds = o.Bounds.OrDefault()
	s := &Store{o: o, grown: make(chan struct{}, 1)}
	if o.Parent != "" {
		s.dests = append(s.dests, o.Parent)
	}
	if o.OpenRemote != nil {
		s.dests = append(s.dests, returners.DestMySQL)
	}
	s.group = returners.NewGroup(o.Local, returners.GroupConfig{
		MaxRows: o.Bounds.CommitRows, MaxPending: o.Bounds.CommitPending, MaxMemory: o.Bounds.CommitMemory, Log: o.Log,
	})
	return s
}

// SaveReturns stores returns durably and tells which of them are new; the
// commit is shared with other callers. loads are the job loads that came along.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return, loads ...returners.Load) ([]bool, error) {
	if err := s.room(); err != nil {
		return nil, fmt.Errorf("store %d returns: %w", len(rets), err)
	}
	b := returners.Batch{Returns: rets, Loads: loads}
	for _, d := range s.dests {
		for _, r := range rets {
			if _, digest := wire.Digest(r.Full); digest && d == returners.DestMySQL {
				continue // the node that has the result owes it to SQL
			}
			b.Outbox = append(b.Outbox, returners.Item{Dest: d, Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
		}
	}
	if s.o.NoResults {
		s.withoutResults(&b)
	}
	s.owe(&b)
	res, err := s.group.Commit(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("store %d returns: %w", len(rets), err)
	}
	s.wake()
	return res.NewReturns, nil
}

// Save stores a batch with what is owed of it, in one commit that is shared with other
// callers. One that begins a job needs room in the outbox.
func (s *Store) Save(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if len(b.Loads) > 0 {
		if err := s.room(); err != nil {
			return returners.Result{}, fmt.Errorf("store job %s: %w", b.Loads[0].JID, err)
		}
	}
	s.owe(&b)
	res, err := s.group.Commit(ctx, b)
	if err != nil {
		return res, fmt.Errorf("store %d rows: %w", b.Rows(), err)
	}
	s.wake()
	return res, nil
}

// owe adds the outbox rows of loads and expectations: SQL wants them, a parent
// learns them by events and with the first return of a job.
func (s *Store) owe(b *returners.Batch) {
	if s.o.OpenRemote == nil {
		return
	}
	for _, l := range b.Loads {
		b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindLoad, JID: l.JID})
	}
	for _, x := range b.Expectations {
		b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindExpectation, JID: x.JID, ID: x.Node})
	}
}

func (s *Store) wake() {
	select {
	case s.grown <- struct{}{}:
	default:
	}
	s.mu.Lock()
	d := s.drain
	s.mu.Unlock()
	if d != nil {
		d.Wake()
	}
}

// Grown delivers a value after something was committed; several commits may be
// one value. It is for the one forwarder of this node.
func (s *Store) Grown() <-chan struct{} { return s.grown }

// Outbox is what this node still owes.
func (s *Store) Outbox() returners.SharedOutbox { return s.o.Local }

// ReturnsAfter reads a page of the returns that this node itself has seen of a job.
func (s *Store) ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]returners.Return, error) {
	return s.o.Local.ReturnsAfter(ctx, jid, after, limit, maxBytes)
}

// Local is the embedded store's reading side: what this node itself has seen.
func (s *Store) Local() returners.Reader { return s.o.Local }

// Embedded is all of the embedded store that is read.
func (s *Store) Embedded() Embedded { return s.o.Local }

// Embedded is what is read of the embedded store alone.
type Embedded interface {
	returners.Reader
	returners.NoteReader
	Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
}

// Reader answers questions: the configured job cache, or the embedded store
// while that is away.
func (s *Store) Reader(ctx context.Context) returners.Reader {
	s.mu.Lock()
	remote := s.remote
	s.mu.Unlock()
	if remote == nil {
		return s.o.Local
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := remote.Ping(ctx); err != nil {
		s.o.Log.Warn("job cache unreachable, answering from the embedded store", "returner", remote.Name(), "err", err)
		return s.o.Local
	}
	return remote
}

// Run fills the remote store and cleans up until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	switch {
	case s.o.OpenRemote != nil:
		wg.Go(func() { s.fillRemote(ctx, s.o.OpenRemote, true) })
	case s.o.OpenEvents != nil:
		wg.Go(func() { s.fillRemote(ctx, s.o.OpenEvents, false) })
	}
	if s.o.Keep > 0 {
		wg.Go(func() { s.cleanUp(ctx) })
	}
	wg.Wait()
	<-ctx.Done()
	return nil
}

// fillRemote opens the database, however long it takes, and drains into it. It
// is closed with the store; only one that holds jobs is asked for them.
func (s *Store) fillRemote(ctx context.Context, open func(context.Context) (returners.Returner, error), jobs bool) {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		remote, err := open(ctx)
		if err == nil {
			d := returners.NewDrain(s.o.Local, remote, returners.DrainConfig{Dest: returners.DestMySQL, BatchRows: s.o.Bounds.DrainRows, Rescue: s.o.Rescue, Log: s.o.Log})
			s.mu.Lock()
			s.opened, s.drain = remote, d
			if jobs {
				s.remote = remote
			}
			s.mu.Unlock()
			if err := d.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				s.o.Log.Error("job cache writer stopped", "returner", remote.Name(), "err", err)
			}
			return
		}
		s.o.Log.Error("database not opened, rows wait in the outbox", "err", err, "retry_in", wait)
		if sleep.For(ctx, wait) != nil {
			return
		}
	}
}

// Close ends the group commit and closes the stores. Call it after Run ended.
func (s *Store) Close() error {
	err := s.group.Close()
	s.mu.Lock()
	opened := s.opened
	s.mu.Unlock()
	if opened != nil {
		err = errors.Join(err, opened.Close())
	}
	return errors.Join(err, s.o.Local.Close())
}
