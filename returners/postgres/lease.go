package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

var _ returners.Leaser = (*Store)(nil)

// leases is the table. It is created by the first lease: most databases need none, and an account may
// lack the right to create tables.
const leases = "CREATE TABLE IF NOT EXISTS mom_leases (name varchar(255) PRIMARY KEY, holder varchar(255) NOT NULL, until " + stamp + " NOT NULL)"

// errNoTable is the SQLSTATE of the error for a missing table.
const errNoTable = "42P01"

// acquire takes a lease that is free or the holder's own.
const acquire = "INSERT INTO mom_leases AS l (name, holder, until) VALUES ($1, $2, clock_timestamp() + $3 * INTERVAL '1 microsecond') " +
	"ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until WHERE l.holder = EXCLUDED.holder OR l.until <= clock_timestamp()"

// Lease implements [returners.Leaser] by a row of the table mom_leases.
func (s *Store) Lease(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error) {
	if err := s.prepare(ctx); err != nil {
		return false, until, err
	}
	if ttl > 0 {
		return s.acquire(ctx, name, holder, ttl)
	}
	err = s.exec(ctx, "give up lease "+name, "DELETE FROM mom_leases WHERE name = $1 AND holder = $2", name, holder)
	if missingTable(err) {
		return false, until, nil
	}
	return false, until, err
}

func missingTable(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == errNoTable
}

func (s *Store) acquire(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error) {
	take := func() error { return s.exec(ctx, "acquire lease "+name, acquire, name, holder, ttl.Microseconds()) }
	if err = take(); missingTable(err) {
		if err = s.makeLeases(ctx); err == nil {
			err = take()
		}
	}
	if err != nil {
		return false, until, err
	}
	var now string
	var left int64 // microseconds
	ok := false
	err = s.within(ctx, "read lease "+name, func(ctx context.Context, _ func()) (err error) {
		ok, err = sqlread.One(ctx, s.db, []any{&now, &left}, "SELECT holder, (EXTRACT(EPOCH FROM until - clock_timestamp()) * 1000000)::bigint FROM mom_leases WHERE name = $1", name)
		return err
	})
	if err == nil && !ok {
		err = fmt.Errorf("%s %s: read lease %s: %w", s.o.Returner, s.o.where(), name, returners.ErrUnavailable)
	}
	if err != nil {
		return false, until, err
	}
	return now == holder && left > 0, s.o.Now().Add(time.Duration(left) * time.Microsecond), nil
}

// makeLeases creates the table. Of two masters that run CREATE TABLE IF NOT EXISTS at once, one would get an
// error; hence the lock.
func (s *Store) makeLeases(ctx context.Context) error {
	return s.inTx(ctx, "create the table of leases", func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, leases)
		return err
	})
}
