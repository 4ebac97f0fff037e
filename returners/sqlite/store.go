package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/returners"
)

// Store is the embedded job store. It is safe for concurrent use; writes are serialized.
type Store struct {
	o      Options
	path   string
	unlock func() error

	w     *sql.DB       // one connection
	r     *sql.DB       // query_only connections
	turn  chan struct{} // holds one token: its holder may use w
	level level         // of w
	st    statements
	depth depths

	closing   atomic.Bool
	closeOnce sync.Once
	closeErr  error
}

var _ returners.JobStore = (*Store)(nil)

// Open opens the store at o.Path and creates or migrates it if needed. The error is
// ErrCorrupt, ErrNewerSchema or ErrFull, or says why the file cannot be used.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("job store %s: %w", o.Path, err)
	}
	if err := durable.Folder(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("job store %s: make its folder: %w", path, err)
	}
	s := &Store{o: o, path: path, turn: make(chan struct{}, 1), depth: depths{rows: o.TailRows, bytes: o.TailBytes}}
	if s.unlock, err = lockFile(path + ".lock"); err != nil {
		return nil, fmt.Errorf("job store %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if emptied(path) {
		o.Log.Warn("job store file is empty, creating a new store", "path", path,
			"hint", "if this node had jobs before, stop it and restore the file from a copy; without it their history and pending returns are lost")
	}
	if err := touch(path); err != nil {
		return nil, fmt.Errorf("job store %s: %w", path, err)
	}
	if s.w, err = sql.Open("sqlite", o.dsn(path, true)); err != nil {
		return nil, s.fault("open", err)
	}
	s.w.SetMaxOpenConns(1)
	if err := migrate(ctx, s.w); err != nil {
		return nil, s.fault("open", err)
	}
	if s.r, err = sql.Open("sqlite", o.dsn(path, false)); err != nil {
		return nil, s.fault("open", err)
	}
	s.r.SetMaxOpenConns(o.Readers)
	s.r.SetMaxIdleConns(o.Readers)
	if err := s.st.prepare(ctx, s.w); err != nil {
		return nil, s.fault("open", err)
	}
	if err := s.depth.load(ctx, s.r); err != nil {
		return nil, s.fault("count the outbox", err)
	}
	if o.Ages != nil {
		newest, err := s.Newest(ctx)
		if err != nil {
			return nil, err
		}
		s.o.age = o.Ages(newest)
	}
	s.turn <- struct{}{}
	return s, nil
}

// emptied reports whether the file exists and is empty. A store that was opened once is
// never empty, unless the file system lost what was written.
func emptied(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Size() == 0
}

// touch makes the file readable by its owner only: returns hold secrets. The driver gives
// the log files beside it the same mode.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Name returns "sqlite".
func (s *Store) Name() string { return Name }

// Path returns the absolute path of the store's file.
func (s *Store) Path() string { return s.path }

// Ping reads from the file.
func (s *Store) Ping(ctx context.Context) error {
	if s.closing.Load() {
		return s.closed()
	}
	var n int
	if err := s.r.QueryRowContext(ctx, "SELECT count(*) FROM schema_version").Scan(&n); err != nil {
		return s.fault("ping", err)
	}
	return nil
}

// Check reads the whole file and returns the first damage found, as ErrCorrupt. It takes
// long on a large store.
func (s *Store) Check(ctx context.Context) error {
	var verdict string
	if err := s.r.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return s.fault("check", err)
	}
	if verdict != "ok" {
		return s.corrupt("check", errors.New(verdict))
	}
	return nil
}

// Close waits for a running transaction and closes the files. It may be called more than
// once.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.closing.Store(true)
		<-s.turn // never returned: no write follows
		s.closeErr = s.release()
	})
	return s.closeErr
}

func (s *Store) release() error {
	var errs []error
	if s.r != nil {
		errs = append(errs, s.r.Close())
	}
	if s.w != nil {
		errs = append(errs, s.st.close(), s.w.Close())
	}
	errs = append(errs, s.unlock())
	return errors.Join(errs...)
}

func (s *Store) closed() error {
	return fmt.Errorf("job store %s: %w", s.path, returners.ErrClosed)
}
