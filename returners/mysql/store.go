package mysql

import (
	"context"
	"database/sql"
	"errors"
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

	// setup holds one token. Its holder checks and migrates the tables.
	setup chan struct{}
	ready atomic.Bool

	mu   sync.Mutex
	kept map[*sqlrows.Table]*sql.Stmt // prepared statements of full batches

	form   sqlrows.Form
	writer sqlrows.Writer
	absent *sqlrows.Absent
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
func Open(_ context.Context, o Options) (*Store, error) {
	if err := o.fill(); err != nil {
		return nil, fmt.Errorf("mysql returner: %w", err)
	}
	db, err := o.connect(false)
	if err != nil {
		return nil, fmt.Errorf("mysql returner: %w", err)
	}
	s := &Store{o: o, db: db, setup: make(chan struct{}, 1), kept: map[*sqlrows.Table]*sql.Stmt{}, absent: sqlrows.NewAbsent()}
	s.form = sqlrows.Form{ToJSON: wire.ToJSON, FromJSON: wire.FromJSON, True: "1", False: "0", Stamp: s.stamp, Refuse: s.refuse}
	s.writer.Class = classOf
	s.saver = sqlrows.NewSaver(sqlrows.Config{Database: database{s}, Tables: tables, Form: &s.form, Writer: &s.writer, Absent: s.absent})
	s.setup <- struct{}{}
	return s, nil
}

// Name is "mysql".
func (s *Store) Name() string { return Name }

// Stats returns a copy of the counters.
func (s *Store) Stats() Stats { return s.writer.Stats() }

// Ping connects and, the first time, creates or migrates the tables.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.fault("ping", s.db.PingContext(ctx))
}

// prepare migrates the tables once; after a failure the next call tries again.
func (s *Store) prepare(ctx context.Context) error {
	if s.closing.Load() {
		return fmt.Errorf("mysql %s: %w", s.o.where(), returners.ErrClosed)
	}
	if s.o.ReadOnly || s.ready.Load() {
		return nil
	}
	select {
	case <-s.setup:
	case <-ctx.Done():
		return fmt.Errorf("mysql %s: wait for the tables: %w", s.o.where(), ctx.Err())
	}
	defer func() { s.setup <- struct{}{} }()
	if s.ready.Load() {
		return nil
	}
	if err := s.migrate(ctx); err != nil {
		return s.fault("prepare the tables", err)
	}
	s.ready.Store(true)
	return nil
}

// Close closes the connections. It may be called more than once.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.closing.Store(true)
		s.mu.Lock()
		defer s.mu.Unlock()
		var errs []error
		for _, st := range s.kept {
			errs = append(errs, st.Close())
		}
		s.closeErr = errors.Join(append(errs, s.db.Close())...)
	})
	return s.closeErr
}

// stamp returns the value of alter_time; the column holds whole seconds.
func (s *Store) stamp(at time.Time) time.Time {
	if at.IsZero() {
		at = s.o.Now()
	}
	return at.UTC().Truncate(time.Second)
}
