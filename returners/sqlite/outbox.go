package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// OutboxRead reads rows of dest with Seq > after in order: at most limit rows
// and, beyond the first row, at most maxBytes of payload.
func (s *Store) OutboxRead(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]Item, error) {
	if limit <= 0 {
		return nil, fmt.Errorf("job store %s: read the outbox: limit is %d, must be above 0", s.path, limit)
	}
	if s.closing.Load() {
		return nil, s.closed()
	}
	if items, ok := s.depth.read(dest, after, limit, maxBytes); ok {
		return items, nil
	}
	return s.readOutbox(ctx, dest, after, limit, maxBytes)
}

// readOutbox is OutboxRead from the file.
func (s *Store) readOutbox(ctx context.Context, dest string, after int64, limit, maxBytes int) ([]Item, error) {
	items := make([]Item, 0, min(limit, 512))
	size := 0
	err := s.query(ctx, "read the outbox for "+dest, func(scan sqlread.Scan) error {
		it, err := scanItem(scan)
		if err != nil {
			return err
		}
		size += len(it.Payload)
		if len(items) > 0 && maxBytes > 0 && size > maxBytes {
			return sqlread.ErrEnough
		}
		items = append(items, it)
		return nil
	}, `SELECT o.seq, o.dest, o.kind, o.jid, o.id, coalesce(o.error, ''), o.payload, j.at, j.user, j.load,
			r.jid IS NOT NULL, `+outboxReturnColumns+`
		FROM outbox o
		LEFT JOIN jids j ON o.kind = 'load' AND j.jid = o.jid AND j.load IS NOT NULL
		LEFT JOIN salt_returns r ON o.kind = 'return' AND r.jid = o.jid AND r.id = o.id
		WHERE o.dest = ? AND o.seq > ? ORDER BY o.seq LIMIT ?`, dest, after, limit)
	if err != nil {
		return nil, err
	}
	return items, s.wholeItems(ctx, items)
}

const outboxReturnColumns = `coalesce(r.jid, ''), coalesce(r.id, ''), coalesce(r.fun, ''), coalesce(r.success, 0), coalesce(r.retcode, 0),
	coalesce(r.out, ''), coalesce(r.master_id, ''), coalesce(r.via, ''), coalesce(r.alter_time, 0), coalesce(r.val_at, -1),
	coalesce(r.val_len, 0), r.value, r.full_ret`

func scanItem(scan sqlread.Scan) (Item, error) {
	var (
		it       Item
		at       *int64
		user     *string
		load     []byte
		isReturn bool
	)
	ret, err := scanReturn(func(cols ...any) error {
		return scan(append([]any{&it.Seq, &it.Dest, &it.Kind, &it.JID, &it.ID, &it.Error, &it.Payload, &at, &user, &load, &isReturn}, cols...)...)
	})
	if err != nil {
		return it, err
	}
	var stored []byte
	switch {
	case isReturn:
		it.Return, stored = &ret, ret.Full
	case at != nil:
		it.Load = &returners.Load{JID: it.JID, Raw: wire.Raw(load), User: *user, At: time.UnixMicro(*at).UTC()}
		stored = load
	case it.Kind == returners.KindExpectation && len(it.Payload) > 0:
		if e, err := returners.DecodeExpectation(it.Payload); err == nil { // else it is another kind of payload
			it.Expectation = &e
		}
	}
	if it.Payload == nil {
		it.Payload = stored
	}
	return it, nil
}

// OutboxAck removes delivered rows. Unknown ones are ignored.
func (s *Store) OutboxAck(ctx context.Context, dest string, seqs []int64) error {
	if len(seqs) == 0 {
		return nil
	}
	return s.writeAt(ctx, unsynced, "acknowledge rows for "+dest, func(ctx context.Context, w *writer) error {
		return w.acknowledged(ctx, dest, seqs)
	})
}

// acknowledged removes delivered rows, without a sync of the disk. If a loss of power
// undoes it, the rows are delivered again, which changes nothing.
func (w *writer) acknowledged(ctx context.Context, dest string, seqs []int64) error {
	if len(seqs) == 0 {
		return nil
	}
	list, err := json.Marshal(seqs)
	if err != nil {
		return err
	}
	rows, err := w.stmt(ctx, w.st.ack).QueryContext(ctx, dest, string(list))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var size int64
		if err := rows.Scan(&size); err != nil {
			return err
		}
		w.count(dest, -1, -size)
	}
	w.gone[dest] = append(w.gone[dest], seqs...)
	return rows.Err()
}

// taken runs a statement on one outbox row and returns how many rows it affected (0 or 1)
// and their size.
func (w *writer) taken(ctx context.Context, st *sql.Stmt, args ...any) (rows, size int64, err error) {
	switch err := w.stmt(ctx, st).QueryRowContext(ctx, args...).Scan(&size); {
	case errors.Is(err, sql.ErrNoRows):
		return 0, 0, nil
	case err != nil:
		return 0, 0, err
	}
	return 1, size, nil
}

// OutboxReject moves a row to returners.Rejected(dest).
func (s *Store) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	return s.write(ctx, "set aside a row for "+dest, func(ctx context.Context, w *writer) error {
		n, size, err := w.taken(ctx, w.st.reject, returners.Rejected(dest), reason, seq, dest)
		w.count(dest, -n, -size)
		w.count(returners.Rejected(dest), n, size)
		w.gone[dest], w.other[returners.Rejected(dest)] = []int64{seq}, true
		return err
	})
}

// OutboxDepth returns the number of rows of dest and the time of the oldest.
func (s *Store) OutboxDepth(ctx context.Context, dest string) (rows int64, oldest time.Time, err error) {
	err = s.query(ctx, "look at the outbox for "+dest, func(scan sqlread.Scan) error {
		var at int64
		err := scan(&at)
		oldest = time.UnixMicro(at).UTC()
		return err
	}, "SELECT at FROM outbox WHERE dest = ? ORDER BY seq LIMIT 1", dest)
	if err != nil || oldest.IsZero() {
		return 0, oldest, err
	}
	return s.depth.of(dest).rows, oldest, nil
}

// OutboxSize returns the pending rows and bytes of dest without reading the file.
func (s *Store) OutboxSize(dest string) (rows, bytes int64) {
	w := s.depth.of(dest)
	return w.rows, w.bytes
}
