package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// statements are prepared once on the writing connection.
type statements struct {
	load, seen, hold, getExp, putExp, getPage, nextPage, putPage, ret, event, putRow, ack, reject, pass, note, unnote, loaded, lastPart, putPart *sql.Stmt

	all []*sql.Stmt
}

func (p *statements) prepare(ctx context.Context, db *sql.DB) error {
	for _, s := range []struct {
		to    **sql.Stmt
		query string
	}{
		// The first load stays, see returners.Load.
		//mutant:first-record-stays
		{&p.load, `INSERT INTO jids (jid, at, last, user, load) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (jid) DO UPDATE SET at = excluded.at, user = excluded.user, load = excluded.load, last = max(last, excluded.last)
			WHERE load IS NULL OR ? AND load <> excluded.load`},
		{&p.seen, `INSERT INTO jids (jid, at, last) VALUES (?, ?, ?)
			ON CONFLICT (jid) DO UPDATE SET last = excluded.last WHERE excluded.last > last`},
		{&p.hold, `UPDATE jids SET last = ? WHERE jid = ?`},
		{&p.getExp, `SELECT at, state FROM expectations WHERE jid = ? AND node = ?`},
		{&p.putExp, `INSERT INTO expectations (jid, node, at, state) VALUES (?, ?, ?, ?)
			ON CONFLICT (jid, node) DO UPDATE SET at = excluded.at, state = excluded.state`},
		{&p.getPage, `SELECT first, data FROM expected_pages WHERE jid = ? AND node = ? AND first <= ? ORDER BY first DESC LIMIT 1`},
		{&p.nextPage, `SELECT min(first) FROM expected_pages WHERE jid = ? AND node = ? AND first > ?`},
		{&p.putPage, `INSERT INTO expected_pages (jid, node, first, data) VALUES (?, ?, ?, ?)
			ON CONFLICT (jid, node, first) DO UPDATE SET data = excluded.data`},
		{&p.ret, `INSERT INTO salt_returns
			(jid, id, fun, success, retcode, out, master_id, via, alter_time, val_at, val_len, value, full_ret)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (jid, id) DO NOTHING`},
		{&p.event, `INSERT INTO salt_events (key, tag, data, alter_time, master_id) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (key) DO NOTHING`},
		{&p.putRow, `INSERT INTO outbox (dest, kind, jid, id, at, payload, size) VALUES (?, ?, ?, ?, ?, ?, ?)`},
		{&p.pass, `INSERT INTO outbox (dest, kind, jid, id, at, payload, size)
			SELECT ?, kind, jid, id, at, payload, size FROM outbox WHERE seq = ? AND dest = ? RETURNING size`},
		{&p.ack, `DELETE FROM outbox WHERE +dest = ? AND seq IN (SELECT value FROM json_each(?)) RETURNING size`},
		{&p.reject, `UPDATE outbox SET dest = ?, error = ? WHERE seq = ? AND dest = ? RETURNING size`},
		{&p.note, `INSERT INTO notes (kind, jid, key, value) VALUES (?, ?, ?, ?)
			ON CONFLICT (kind, jid, key) DO UPDATE SET value = excluded.value`},
		{&p.loaded, `SELECT EXISTS (SELECT 1 FROM jids WHERE jid = ? AND load IS NOT NULL)`},
		{&p.lastPart, `SELECT page, part, ids FROM load_parts WHERE jid = ? ORDER BY page DESC LIMIT 1`},
		{&p.putPart, `INSERT INTO load_parts (jid, page, part, ids) VALUES (?, ?, ?, ?)
			ON CONFLICT (jid, page) DO UPDATE SET part = excluded.part, ids = excluded.ids`},
		{&p.unnote, `DELETE FROM notes WHERE kind = ? AND jid = ? AND key = ?`},
	} {
		st, err := db.PrepareContext(ctx, s.query)
		if err != nil {
			return fmt.Errorf("prepare %q: %w", s.query, err)
		}
		*s.to = st
		p.all = append(p.all, st)
	}
	return nil
}

func (p *statements) close() error {
	var errs []error
	for _, st := range p.all {
		errs = append(errs, st.Close())
	}
	return errors.Join(errs...)
}
