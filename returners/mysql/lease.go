package mysql

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

var _ returners.Leaser = (*Store)(nil)

// leases is the table. It is created by the first lease: most databases need none, and an account may
// lack the right to create tables.
const leases = "CREATE TABLE IF NOT EXISTS `mom_leases` (" +
	"`name` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, " +
	"`holder` varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, " +
	"`until` datetime(6) NOT NULL, PRIMARY KEY (`name`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"

// errNoTable is the server's number of the error for a missing table.
const errNoTable = 1146

// acquire takes a lease that is free or the holder's own. MySQL assigns from left to right, so the
// second assignment sees the new holder.
const acquire = "INSERT INTO mom_leases (name, holder, until) VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND) " +
	"ON DUPLICATE KEY UPDATE holder = IF(holder = VALUES(holder) OR until <= UTC_TIMESTAMP(6), VALUES(holder), holder), " +
	"until = IF(holder = VALUES(holder), VALUES(until), until)"

// Lease implements [returners.Leaser] by a row of the table mom_leases.
func (s *Store) Lease(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error) {
	if err := s.prepare(ctx); err != nil {
		return false, until, err
	}
	if ttl > 0 {
		return s.acquire(ctx, name, holder, ttl)
	}
	_, err = s.db.ExecContext(ctx, "DELETE FROM mom_leases WHERE name = ? AND holder = ?", name, holder)
	if missingTable(err) {
		return false, until, nil
	}
	return false, until, s.fault("give up lease "+name, err)
}

func missingTable(err error) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && e.Number == errNoTable
}

func (s *Store) acquire(ctx context.Context, name, holder string, ttl time.Duration) (held bool, until time.Time, err error) {
	take := func() error {
		_, err := s.db.ExecContext(ctx, acquire, name, holder, ttl.Microseconds())
		return err
	}
	if err = take(); missingTable(err) {
		if _, err = s.db.ExecContext(ctx, leases); err == nil {
			err = take()
		}
	}
	if err != nil {
		return false, until, s.fault("acquire lease "+name, err)
	}
	var now string
	var left int64 // microseconds
	ok, err := sqlread.One(ctx, s.db, []any{&now, &left}, "SELECT holder, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), until) FROM mom_leases WHERE name = ?", name)
	if err != nil {
		return false, until, s.fault("read lease "+name, err)
	}
	if !ok {
		return false, until, fmt.Errorf("read lease %s: %w", name, returners.ErrUnavailable)
	}
	return now == holder && left > 0, s.o.Now().Add(time.Duration(left) * time.Microsecond), nil
}
