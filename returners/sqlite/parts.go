package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// A load that extends its job is stored as its additional ids: see migration 0006.

// idsOnPage is the most ids on a page.
const idsOnPage = 128

// extend adds the new ids of l to the stored load of a job; ok is false if no load is
// stored.
func (w *writer) extend(ctx context.Context, l *returners.Load) (bool, error) {
	var loaded bool
	if err := w.stmt(ctx, w.st.loaded).QueryRowContext(ctx, l.JID).Scan(&loaded); err != nil || !loaded {
		return false, err
	}
	var page, part int
	var raw []byte
	var ids []string
	err := w.stmt(ctx, w.st.lastPart).QueryRowContext(ctx, l.JID).Scan(&page, &part, &raw)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, err
	default:
		if ids, err = wire.Strings(raw); err != nil {
			return false, fmt.Errorf("page %d of its minions: %w", page, err)
		}
	}
	if len(ids) >= idsOnPage {
		page, ids = page+1, nil
	}
	if raw, err = wire.Encode(append(ids, l.More...)); err != nil {
		return false, err
	}
	at := cmp.Or(l.At, w.now)
	if _, err := w.exec(ctx, w.st.putPart, l.JID, page, max(part, l.Part()), raw); err != nil {
		return false, err
	}
	_, err = w.exec(ctx, w.st.seen, l.JID, jid.TimeOr(l.JID, at).UnixMicro(), w.age(at))
	return err == nil, err
}

// whole merges the ids of extensions into loads.
func (s *Store) whole(ctx context.Context, loads ...*returners.Load) error {
	for _, l := range loads {
		part := 0
		var ids []string
		err := s.query(ctx, "read the load of job "+l.JID, func(scan sqlread.Scan) error {
			var n int
			var raw []byte
			if err := scan(&n, &raw); err != nil {
				return err
			}
			more, err := wire.Strings(raw)
			part, ids = max(part, n), append(ids, more...)
			return err
		}, "SELECT part, ids FROM load_parts WHERE jid = ? ORDER BY page", l.JID)
		if err == nil && len(ids) > 0 {
			err = s.fault("read the load of job "+l.JID, l.Extend(ids, part))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wholeItems is whole for rows of an outbox.
func (s *Store) wholeItems(ctx context.Context, items []Item) error {
	read := map[string]*returners.Load{}
	for i := range items {
		it := &items[i]
		if it.Load == nil {
			continue
		}
		if read[it.JID] == nil {
			read[it.JID] = it.Load
			if err := s.whole(ctx, it.Load); err != nil {
				return err
			}
		}
		it.Load = read[it.JID]
		it.Payload = it.Load.Raw
	}
	return nil
}

// grown returns the jobs that were extended.
func (s *Store) grown(ctx context.Context) (map[string]bool, error) {
	jids := map[string]bool{}
	err := s.query(ctx, "list jobs that were extended", func(scan sqlread.Scan) error {
		var id string
		err := scan(&id)
		jids[id] = true
		return err
	}, "SELECT DISTINCT jid FROM load_parts")
	return jids, err
}
