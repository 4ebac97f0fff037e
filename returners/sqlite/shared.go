package sqlite

import (
	"context"
	"fmt"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// OutboxMove removes delivered rows of dest and appends each to those of its further
// destinations that do not have it yet.
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
					return fmt.Errorf("queue row %d for %s: %w", r.Seq, to, err)
				}
				w.count(to, n, size)
				w.other[to] = true
			}
			seqs[i] = r.Seq
		}
		return w.acknowledged(ctx, dest, seqs)
	})
}

// backfillPage is the most rows OutboxBackfill writes in one transaction, so that returns
// never wait long behind it.
const backfillPage = 500

// OutboxBackfill appends the stored returns of a job to dest.
func (s *Store) OutboxBackfill(ctx context.Context, dest, jid string) (n int, err error) {
	some := false
	err = s.query(ctx, "look for returns of job "+jid, func(scan sqlread.Scan) error { return scan(&some) },
		"SELECT EXISTS (SELECT 1 FROM salt_returns WHERE jid = ?)", jid)
	if err != nil || !some {
		return 0, err // in most cases no row is found, and nothing has to be written
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

// OutboxDests returns the number of rows of each destination, rejected ones included.
func (s *Store) OutboxDests() map[string]int64 { return s.depth.all() }

// OutboxForget removes up to limit rows of a destination that no longer exists, such as a
// replaced parent. It returns how many.
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
