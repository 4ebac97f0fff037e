package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// saver has the methods that store rows.
type saver = sqlrows.Saver

// Store is the returner. It is safe for concurrent use.
type Store struct {
	o  Options
	db *sql.DB

	ready atomic.Bool // the tables are migrated
	life  context.Context
	end   context.CancelFunc // of life
	wg    sync.WaitGroup     // for the migration

	mu    sync.Mutex
	setup *setup // the migration under way, or nil

	form   sqlrows.Form
	writer sqlrows.Writer
	*saver

	closing   atomic.Bool
	closeOnce sync.Once
	closeErr  error
}

var (
	_ returners.Returner = (*Store)(nil)
	_ returners.Shared   = (*Store)(nil)
)

// Stats counts what a Store did.
type Stats = sqlrows.Stats

// Open checks the options and creates the connection pool. It does not connect: a database
// that is down does not prevent the start.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, fmt.Errorf("%s returner: %w", o.Returner, err)
	}
	if o.SSLRootCert != "" && !o.verifies() {
		o.Log.Warn("certificate of the database is not verified", "returner", o.Returner, "option", o.form.option("sslmode"),
			"hint", "set it to verify-full")
	}
	db, err := o.connect()
	if err != nil {
		return nil, fmt.Errorf("%s returner: %w", o.Returner, err)
	}
	s := &Store{o: o, db: db}
	s.form = sqlrows.Form{ToJSON: s.toJSON, FromJSON: s.fromJSON, True: "true", False: "false", Stamp: s.stamp, Refuse: s.refuse}
	s.writer.Class = returners.Class
	s.saver = sqlrows.NewSaver(sqlrows.Config{Database: database{s}, Tables: tables, Form: &s.form, Writer: &s.writer, Absent: sqlrows.NewAbsent(), Once: true})
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// Name is JSONB or Text.
func (s *Store) Name() string { return s.o.Returner }

// Stats returns a copy of the counters.
func (s *Store) Stats() Stats { return s.writer.Stats() }

// Ping connects and, the first time, creates or migrates the tables.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.within(ctx, "ping", func(ctx context.Context, _ func()) error { return s.db.PingContext(ctx) })
}

// setup is one attempt to migrate the tables, which all callers wait for.
type setup struct {
	done chan struct{} // closed at the end
	err  error
}

// prepare migrates the tables once; after a failure the next call tries again. The migration
// does not end with ctx: it is one transaction, and may take longer than any caller waits.
func (s *Store) prepare(ctx context.Context) error {
	if (s.o.ReadOnly || s.ready.Load()) && !s.closing.Load() {
		return nil
	}
	s.mu.Lock()
	if s.closing.Load() {
		s.mu.Unlock()
		return fmt.Errorf("%s %s: %w", s.o.Returner, s.o.where(), returners.ErrClosed)
	}
	run := s.setup
	if run == nil {
		run = &setup{done: make(chan struct{})}
		s.setup = run
		s.wg.Go(func() { s.runSetup(run) })
	}
	s.mu.Unlock()
	select {
	case <-run.done:
		return run.err
	case <-ctx.Done():
		return fmt.Errorf("%s %s: wait for the tables: %w", s.o.Returner, s.o.where(), ctx.Err())
	}
}

func (s *Store) runSetup(run *setup) {
	defer close(run.done)
	run.err = s.fault(s.life, "prepare the tables", s.migrate(s.life))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setup = nil
	s.ready.Store(run.err == nil)
}

// dropIdle closes the connections that are not in use: they lead to a server that is no
// longer the right one.
func (s *Store) dropIdle() {
	s.db.SetMaxIdleConns(-1)
	s.db.SetMaxIdleConns(s.o.Conns)
}

// Close closes the connections. It may be called more than once.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.mu.Lock()
		s.closing.Store(true)
		s.mu.Unlock()
		s.end()
		s.wg.Wait()
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}

// stamp returns the value of a time.
func (s *Store) stamp(at time.Time) time.Time {
	if at.IsZero() {
		at = s.o.Now()
	}
	return at.UTC()
}

// toJSON returns a value as the columns with JSON hold it.
func (s *Store) toJSON(raw wire.Raw) ([]byte, error) {
	b, err := wire.ToJSON(raw)
	if err == nil && s.o.form.json == "jsonb" {
		b = toJSONB(b)
	}
	return b, err
}

// fromJSON reads the text of a column with JSON; NULL is an empty map.
func (s *Store) fromJSON(text []byte) (wire.Raw, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	if s.o.form.json == "jsonb" {
		text = fromJSONB(text)
	}
	return wire.FromJSON(text)
}
