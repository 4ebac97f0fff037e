package sqlite

import (
	"context"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// CountJob counts the stored records and pending outbox rows of one job.
func (s *Store) CountJob(ctx context.Context, jid string) (c returners.JobCount, err error) {
	err = s.query(ctx, "count the returns of job "+jid, func(scan sqlread.Scan) error {
		var first, last *int64
		if err := scan(&c.Returns, &first, &last); err != nil {
			return err
		}
		if first != nil && last != nil {
			c.First, c.Last = time.UnixMicro(*first).UTC(), time.UnixMicro(*last).UTC()
		}
		return nil
	}, "SELECT count(*), min(alter_time), max(alter_time) FROM salt_returns WHERE jid = ?", jid)
	if err != nil {
		return c, err
	}
	c.Pending = map[string]int64{}
	err = s.query(ctx, "count pending rows of job "+jid, func(scan sqlread.Scan) error {
		var dest string
		var n int64
		if err := scan(&dest, &n); err != nil {
			return err
		}
		c.Pending[dest] = n
		return nil
	}, "SELECT dest, count(*) FROM outbox WHERE jid = ? GROUP BY dest", jid)
	return c, err
}

// Outcomes returns the minions that have returned a job. Its columns come before the
// results, so that large results are not read from the disk.
func (s *Store) Outcomes(ctx context.Context, jid string) (out []returners.Outcome, err error) {
	err = s.query(ctx, "look who returned job "+jid, sqlread.Append(&out, func(scan sqlread.Scan) (o returners.Outcome, err error) {
		err = scan(&o.ID, &o.Via, &o.OK)
		return o, err
	}), "SELECT id, via, success AND retcode = 0 FROM salt_returns WHERE jid = ? ORDER BY id", jid)
	return out, err
}
