package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// freePages is the most pages one Clean gives back to the disk.
const freePages = 256

// holdStep is the most jobs one transaction holds.
const holdStep = 500

// Clean removes jobs whose last row is older than before, children first, and events, at
// most limit rows in one short transaction. It keeps jobs with pending outbox rows and jobs
// held by a note. It returns how many rows were removed; call it again until that is 0.
func (s *Store) Clean(ctx context.Context, before time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, fmt.Errorf("job store %s: clean: limit is %d, must be above 0", s.path, limit)
	}
	// A reading connection finds the candidates, so that a long search past jobs with
	// pending rows does not block the writer.
	var jids []string
	err := s.query(ctx, "look for old jobs", sqlread.Append(&jids, sqlread.Column[string]), "SELECT jid FROM jids WHERE last < ? AND "+unused+" ORDER BY last LIMIT ?", before.UnixMicro(), min(limit, 500))
	if err != nil {
		return 0, err
	}
	total := 0
	err = s.write(ctx, "clean old jobs", func(ctx context.Context, w *writer) error {
		for _, jid := range jids {
			n, err := w.cleanJob(ctx, jid, before, limit-total)
			if total += n; err != nil {
				return fmt.Errorf("job %s: %w", jid, err)
			}
			if total >= limit {
				return nil
			}
		}
		n, err := w.remove(ctx, "DELETE FROM salt_events WHERE seq IN (SELECT seq FROM salt_events WHERE alter_time < ? ORDER BY alter_time LIMIT ?)",
			before.UnixMicro(), limit-total)
		total += n
		return err
	})
	if err != nil {
		return 0, err
	}
	if total > 0 {
		err = s.shrink(ctx)
	}
	return total, err
}

// unused is an SQL condition for jobs without outbox rows, except rejected ones, and
// without a holding note.
var unused = "NOT EXISTS (SELECT 1 FROM outbox o WHERE o.jid = jids.jid AND o.error IS NULL) AND " + notHeld

// cleanJob removes up to limit rows of one job, the row in jids last.
func (w *writer) cleanJob(ctx context.Context, jid string, before time.Time, limit int) (int, error) {
	var old bool
	if err := w.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM jids WHERE jid = ? AND last < ? AND "+unused+")",
		jid, before.UnixMicro()).Scan(&old); err != nil || !old {
		return 0, err
	}
	const nodes = "node IN (SELECT node FROM expectations WHERE jid = ?1 ORDER BY node LIMIT ?2)"
	total, err := w.remove(ctx, "DELETE FROM salt_returns WHERE jid = ?1 AND id IN (SELECT id FROM salt_returns WHERE jid = ?1 ORDER BY id LIMIT ?2)", jid, limit)
	if err != nil || total >= limit {
		return total, err
	}
	// Pages are removed with the expectation they belong to.
	if _, err := w.remove(ctx, "DELETE FROM expected_pages WHERE jid = ?1 AND "+nodes, jid, limit-total); err != nil {
		return total, err
	}
	n, err := w.remove(ctx, "DELETE FROM expectations WHERE jid = ?1 AND "+nodes, jid, limit-total)
	if total += n; err != nil || total >= limit {
		return total, err
	}
	if err := w.forgetRejected(ctx, jid); err != nil {
		return total, err
	}
	if _, err := w.remove(ctx, "DELETE FROM notes WHERE kind IN (?, ?) AND jid = ?", returners.NoteOrigin, returners.NotePending, jid); err != nil {
		return total, err
	}
	if _, err := w.remove(ctx, "DELETE FROM load_parts WHERE jid = ?", jid); err != nil {
		return total, err
	}
	n, err = w.remove(ctx, "DELETE FROM jids WHERE jid = ?", jid)
	return total + n, err
}

// forgetRejected removes the rejected outbox rows of a job that is cleaned.
func (w *writer) forgetRejected(ctx context.Context, jid string) error {
	return sqlread.Each(ctx, w.tx, func(scan sqlread.Scan) error {
		var dest string
		var size int64
		if err := scan(&dest, &size); err != nil {
			return err
		}
		if !strings.HasPrefix(dest, returners.Rejected("")) {
			return fmt.Errorf("outbox row for %s is still pending", dest)
		}
		w.count(dest, -1, -size)
		return nil
	}, "DELETE FROM outbox WHERE jid = ? RETURNING dest, size", jid)
}

func (w *writer) remove(ctx context.Context, query string, args ...any) (int, error) {
	res, err := w.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Hold resets the age of jobs.
func (s *Store) Hold(ctx context.Context, jids []string) error {
	for page := range slices.Chunk(jids, holdStep) {
		err := s.write(ctx, "hold open jobs", func(ctx context.Context, w *writer) error {
			for _, id := range page {
				if _, err := w.exec(ctx, w.st.hold, w.age(w.now), id); err != nil {
					return fmt.Errorf("job %s: %w", id, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Newest returns when a job was last stored or held, by the clock of ages; zero if there
// are no jobs.
func (s *Store) Newest(ctx context.Context) (at time.Time, err error) {
	err = s.query(ctx, "look for the youngest job", func(scan sqlread.Scan) error {
		micros, err := sqlread.Column[*int64](scan)
		if micros != nil {
			at = time.UnixMicro(*micros).UTC()
		}
		return err
	}, "SELECT max(last) FROM jids")
	return at, err
}

// shrink gives freed pages back to the disk.
func (s *Store) shrink(ctx context.Context) error {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil // the next Clean continues
	}
	defer func() { s.turn <- struct{}{} }()
	if s.closing.Load() {
		return nil
	}
	eachFreesOne := func(sqlread.Scan) error { return nil }
	return s.fault("give back free pages",
		sqlread.Each(context.WithoutCancel(ctx), s.w, eachFreesOne, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", freePages)))
}
