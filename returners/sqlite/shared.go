package sqlite

import (
	"context"
	"fmt"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// OutboxMove removes delivered rows of dest and owes each to those that have not had
// it.
func (s *Store) OutboxMove(ctx context.Context, dest string, rows []returners.Move) error {
	if len(rows) == 0 {
		return nil
	}
	return s.writeAt(ctx, unsynced, "acknowledge rows for "+dest, func(ctx context.Context, w *writer) error {
		seqs := make([]int64, len(rows))
		for i, r := range rows {
			for _, to := range r.To {
				n, size, err := w.taken(ctx, w.st.pass, to, r.Seq, dest)
				if err != nil {
					return fmt.Errorf("owe row %d to %s: %w", r.Seq, to, err)
				}
				w.count(to, n, size)
				w.other[to] = true
			}
			seqs[i] = r.Seq
		}
		return w.acknowledged(ctx, dest, seqs)
	})
}

// backfillPage is how many rows OutboxOwe writes in one transaction, so that returns never
// wait long behind it.
const backfillPage = 500

// OutboxBackfill owes dest the stored returns of a job.
func (s *Store) OutboxBackfill(ctx context.Context, dest, jid string) (n int, err error) {
	some := false
	err = s.query(ctx, "look for returns of job "+jid, func(scan sqlread.Scan) error { return scan(&some) },
		"SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = ?)", jid)
	if err != nil || !some {
		return 0, err // most often there are none, and nothing has to be written
	}
	for last, more := "", true; more && err == nil; {
		page := 0
		err = s.write(ctx, "owe job "+jid+" to "+dest, func(ctx context.Context, w *writer) error {
			var bytes int64
			err := sqlread.Each(ctx, w.tx, func(scan sqlread.Scan) error {
				var size int64
				var id string
				err := scan(&size, &id)
				page, bytes, last = page+1, bytes+size, max(last, id)
				return err
			}, `INSERT INTO outbox (dest, kind, jid, id, at, size)
				SELECT ?1, 'return', jid, id, ?2, length(full_ret) FROM salt_returns
				WHERE jid = ?3 AND id > ?4 AND length(full_ret) > 0 ORDER BY id LIMIT ?5 RETURNING size, id`,
				dest, w.now.UnixMicro(), jid, last, backfillPage)
			w.count(dest, int64(page), bytes)
			w.other[dest] = true
			return err
		})
		n, more = n+page, page == backfillPage
	}
	return n, err
}

// OutboxDests counts the rows of every destination, rejected ones included.
func (s *Store) OutboxDests() map[string]int64 { return s.depth.all() }

// OutboxForget drops up to limit rows of a destination that is no more, such
// as a parent that was replaced, and tells how many went.
func (s *Store) OutboxForget(ctx context.Context, dest string, limit int) (int, error) {
	var gone weight
	err := s.write(ctx, "forget rows for "+dest, func(ctx context.Context, w *writer) error {
		err := sqlread.Each(ctx, w.tx, func(scan sqlread.Scan) error {
			size, err := sqlread.Column[int64](scan)
			gone.rows, gone.bytes = gone.rows+1, gone.bytes+size
			return err
		}, "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE dest = ? ORDER BY seq LIMIT ?) RETURNING size", dest, limit)
		w.count(dest, -gone.rows, -gone.bytes)
		w.other[dest] = true
		return err
	})
	return int(gone.rows), err
}
