package jobstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Options of a [Store].
type Options struct {
	// Local is the embedded store. The Store closes it.
	Local returners.JobStore
	// OpenRemote opens the database named by master_job_cache. It is retried until it succeeds.
	// nil: no such database.
	OpenRemote func(ctx context.Context) (returners.Returner, error)
	// RemoteName is the name of that database's returner; "" means mysql.
	RemoteName string
	// Parent is the outbox destination for the parent, or "" at the top.
	Parent string
	// Events are the returners named by event_return.
	Events []EventStore
	// MaxRows and MaxBytes bound what waits for one destination. At a bound nothing new is
	// accepted (ErrOutboxFull), except what is being committed. 0 means no bound.
	MaxRows, MaxBytes int64
	// NoResults stores who returned but not the results (job_cache: False).
	NoResults bool
	// Keep is how long jobs are kept; 0 keeps them for ever.
	Keep time.Duration
	// Every is the time between two clean-ups. Default a minute.
	Every time.Duration
	// Age is the clock for the age of jobs, with which Local was opened; nil means Now.
	Age *timing.Clock
	// Busy lists the jobs to keep whatever their age: open or queued ones, and those whose
	// end the parent does not know. It is called before each removal. Optional.
	Busy func() []string
	// Bounds bound commits, batches into SQL and the clean-up; unset ones are the defaults.
	Bounds bounds.Bounds
	// Rescue counts rows written to the database without a notification. Optional.
	Rescue *logs.Rescues
	Log    *slog.Logger
	Now    func() time.Time
}

// EventStore is a returner of event_return.
type EventStore struct {
	Name string
	// Open opens it. It is retried until it succeeds. It is not called for the returner of OpenRemote,
	// which gets events by the same connection.
	Open func(ctx context.Context) (returners.EventSaver, error)
}

// Store is safe for concurrent use. The remote store and the clean-up need [Store.Run].
type Store struct {
	o     Options
	group *returners.Group
	dests []string
	grown chan struct{} // receives a value when the outbox has grown
	full  sync.Map      // destination → struct{}: at a bound, and logged
	asked sync.Map      // jid → struct{}: results stored in spite of NoResults

	writers []*writer
	events  []string // destinations of events

	mu     sync.Mutex
	remote returners.Returner // the job cache, once opened
	lost   LostEvents
}

// New returns a store over the embedded one.
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
	o.RemoteName = cmp.Or(o.RemoteName, mysqlName)
	o.Bounds = o.Bounds.OrDefault()
	s := &Store{o: o, grown: make(chan struct{}, 1)}
	if o.Parent != "" {
		s.dests = append(s.dests, o.Parent)
	}
	if o.OpenRemote != nil {
		s.dests = append(s.dests, returners.DestMySQL)
	}
	s.addWriters()
	s.group = returners.NewGroup(o.Local, returners.GroupConfig{
		MaxRows: o.Bounds.CommitRows, MaxPending: o.Bounds.CommitPending, MaxMemory: o.Bounds.CommitMemory, Log: o.Log,
	})
	return s
}

// SaveReturns stores returns durably and reports which of them are new. loads are the loads sent
// with them. The commit is shared with other callers.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return, loads ...returners.Load) ([]bool, error) {
	if err := s.room(); err != nil {
		return nil, fmt.Errorf("store %d returns: %w", len(rets), err)
	}
	b := returners.Batch{Returns: rets, Loads: loads}
	for _, d := range s.dests {
		for _, r := range rets {
			if _, digest := wire.Digest(r.Full); digest && d == returners.DestMySQL {
				continue // the node that has the result sends it to SQL
			}
			b.Outbox = append(b.Outbox, returners.Item{Dest: d, Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
		}
	}
	if s.o.NoResults {
		s.withoutResults(&b)
	}
	s.addOutboxRows(&b)
	res, err := s.group.Commit(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("store %d returns: %w", len(rets), err)
	}
	s.wake()
	return res.NewReturns, nil
}

// Save stores a batch with its outbox rows. One with a load needs room in the outbox. The commit is
// shared with other callers.
func (s *Store) Save(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if len(b.Loads) > 0 {
		if err := s.room(); err != nil {
			return returners.Result{}, fmt.Errorf("store job %s: %w", b.Loads[0].JID, err)
		}
	}
	s.addOutboxRows(&b)
	res, err := s.group.Commit(ctx, b)
	if err != nil {
		return res, fmt.Errorf("store %d rows: %w", b.Rows(), err)
	}
	s.wake()
	return res, nil
}

// Leaser returns the job cache of master_job_cache if it is open and grants leases, otherwise nil.
func (s *Store) Leaser() returners.Leaser {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.remote.(returners.Leaser)
	if !ok {
		return nil
	}
	return l
}

// addOutboxRows adds outbox rows of loads and expectations for SQL. A parent learns them by events and with
// the first return of a job.
func (s *Store) addOutboxRows(b *returners.Batch) {
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
	for _, w := range s.writers {
		w.wake()
	}
}

// Grown receives a value after one or more commits. It is for the one forwarder of this node.
func (s *Store) Grown() <-chan struct{} { return s.grown }

// Outbox returns the outbox of this node.
func (s *Store) Outbox() returners.SharedOutbox { return s.o.Local }

// ReturnsAfter reads a page of a job's returns from the embedded store.
func (s *Store) ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) ([]returners.Return, error) {
	return s.o.Local.ReturnsAfter(ctx, jid, after, limit, maxBytes)
}

// Local returns the embedded store for reading.
func (s *Store) Local() returners.Reader { return s.o.Local }

// Embedded returns the embedded store for reading, with notes and outcomes.
func (s *Store) Embedded() Embedded { return s.o.Local }

// Embedded is the reading side of the embedded store.
type Embedded interface {
	returners.Reader
	returners.NoteReader
	Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
}

// Reader returns the store for queries: the configured job cache, or the embedded store if that
// does not answer within 2 s.
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

// Run fills the remote stores and cleans up, until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, w := range s.writers {
		wg.Go(func() { s.fill(ctx, w) })
	}
	s.dropUnknownEvents(ctx)
	if s.o.Keep > 0 {
		wg.Go(func() { s.cleanUp(ctx) })
	}
	wg.Wait()
	<-ctx.Done()
	return nil
}

// Close stops commits and closes the stores. Call it after Run has returned.
func (s *Store) Close() error {
	err := s.group.Close()
	for _, w := range s.writers {
		err = errors.Join(err, w.close())
	}
	return errors.Join(err, s.o.Local.Close())
}
