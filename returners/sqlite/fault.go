package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/momtree/mom/returners"
)

// fault returns an error with the operation, the file, and what to do.
func (s *Store) fault(doing string, err error) error {
	if err == nil || errors.Is(err, returners.ErrNewerSchema) || errors.Is(err, returners.ErrClosed) {
		return err
	}
	if s.closing.Load() {
		return fmt.Errorf("%w (while it was to %s: %w)", s.closed(), doing, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("job store %s: %s: %w", s.path, doing, err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return s.full(doing, err)
	}
	var se *driver.Error
	if !errors.As(err, &se) {
		return fmt.Errorf("job store %s: %s: %w", s.path, doing, err)
	}
	switch se.Code() & 0xff {
	case lib.SQLITE_FULL:
		return s.full(doing, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return s.corrupt(doing, err)
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return fmt.Errorf("job store %s: %s: %w: %w; check that the disk has space, is mounted writable and healthy",
			s.path, doing, returners.ErrUnavailable, err)
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return fmt.Errorf("job store %s: %s: %w: %w; the file and its folder must be writable by the user mom runs as",
			s.path, doing, returners.ErrUnavailable, errors.Join(err, fs.ErrPermission))
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("job store %s: %s: %w: %w; another program has locked the file",
			s.path, doing, returners.ErrUnavailable, err)
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("job store %s: %s: %w: %w; one value is over SQLite's limit of 1 GB",
			s.path, doing, returners.ErrRejected, err)
	}
	return fmt.Errorf("job store %s: %s: %w", s.path, doing, err)
}

func (s *Store) full(doing string, err error) error {
	return fmt.Errorf("job store %s: %s: %w: %w; nothing of it was stored: free space on that disk or lower keep_jobs_seconds",
		s.path, doing, returners.ErrFull, err)
}

func (s *Store) corrupt(doing string, err error) error {
	return fmt.Errorf("job store %s: %s: %w: %w; stop mom, move this file and its -wal and -shm aside and start again (a new store is made); "+
		"`sqlite3 FILE .recover` saves what can still be read", s.path, doing, returners.ErrCorrupt, err)
}
