package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

const returnColumns = "r.jid, r.id, r.fun, r.success, r.retcode, r.out, r.master_id, r.via, r.alter_time, r.val_at, r.val_len, r.value, r.full_ret"

// scanReturn scans the columns of returnColumns.
func scanReturn(scan sqlread.Scan) (returners.Return, error) {
	var (
		r             returners.Return
		at            int64
		valAt, valLen int
		value, full   []byte
	)
	err := scan(&r.JID, &r.ID, &r.Fun, &r.Success, &r.Retcode, &r.Out, &r.MasterID, &r.Via, &at, &valAt, &valLen, &value, &full)
	if err != nil {
		return r, err
	}
	r.At = time.UnixMicro(at).UTC()
	r.Value, r.Full = wire.Raw(value), wire.Raw(full)
	if valAt >= 0 && valLen >= 0 && valAt+valLen <= len(full) {
		r.Value = r.Full[valAt : valAt+valLen : valAt+valLen]
	}
	return r, nil
}

// query runs a read on a reading connection and visits its rows.
func (s *Store) query(ctx context.Context, doing string, visit func(sqlread.Scan) error, query string, args ...any) error {
	if s.closing.Load() {
		return s.closed()
	}
	return s.fault(doing, sqlread.Each(ctx, s.r, visit, query, args...))
}

func scanLoad(scan sqlread.Scan) (returners.Load, error) {
	var (
		l   returners.Load
		at  int64
		raw []byte
	)
	err := scan(&l.JID, &at, &l.User, &raw)
	l.At, l.Raw = time.UnixMicro(at).UTC(), wire.Raw(raw)
	return l, err
}

// GetLoad reads what was published for a job.
func (s *Store) GetLoad(ctx context.Context, jid string) (l returners.Load, ok bool, err error) {
	err = s.query(ctx, "read the load of job "+jid, func(scan sqlread.Scan) (err error) {
		l, err = scanLoad(scan)
		ok = err == nil
		return err
	}, "SELECT jid, at, user, load FROM jids WHERE jid = ? AND load IS NOT NULL", jid)
	if ok && err == nil {
		err = s.whole(ctx, &l)
	}
	return l, ok, err
}

// GetReturns reads all returns of a job, ordered by minion id.
func (s *Store) GetReturns(ctx context.Context, jid string) (rets []returners.Return, err error) {
	err = s.query(ctx, "read the returns of job "+jid, sqlread.Append(&rets, scanReturn), "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = ? ORDER BY r.id", jid)
	return rets, err
}

// GetReturn reads the return of one minion; ok is false if it has not returned.
func (s *Store) GetReturn(ctx context.Context, jid, id string) (r returners.Return, ok bool, err error) {
	err = s.query(ctx, "read the return of "+id+" to job "+jid, func(scan sqlread.Scan) (err error) {
		r, err = scanReturn(scan)
		ok = err == nil
		return err
	}, "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = ? AND r.id = ? LIMIT 1", jid, id)
	return r, ok, err
}

// ReturnsAfter reads a page of the returns of a job, ordered by minion id.
func (s *Store) ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) (rets []returners.Return, err error) {
	bytes := 0
	err = s.query(ctx, "read returns of job "+jid, func(scan sqlread.Scan) error {
		r, err := scanReturn(scan)
		if err != nil {
			return err
		}
		if bytes += len(r.Full); len(rets) > 0 && bytes > maxBytes {
			return sqlread.ErrEnough
		}
		rets = append(rets, r)
		return nil
	}, "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = ? AND r.id > ? ORDER BY r.id LIMIT ?", jid, after, limit)
	return rets, err
}

// ListJobs lists jobs with a load, newest first.
func (s *Store) ListJobs(ctx context.Context, f returners.Filter) (loads []returners.Load, err error) {
	since, until := int64(-1<<63), int64(1<<63-1)
	if !f.Since.IsZero() {
		since = f.Since.UnixMicro()
	}
	if !f.Until.IsZero() {
		until = f.Until.UnixMicro() - 1
	}
	grown, err := s.grown(ctx)
	if err != nil {
		return nil, err
	}
	limit, wide := f.Limit, f // a load that extends a job may be the one that matches
	if wide.Target = nil; len(grown) > 0 && len(f.Target) > 0 {
		limit = 0
	}
	err = s.query(ctx, "list jobs", func(scan sqlread.Scan) error {
		l, err := scanLoad(scan)
		if err != nil {
			return err
		}
		if !f.Match(l) && !(grown[l.JID] && wide.Match(l)) {
			return nil
		}
		loads = append(loads, l)
		if limit > 0 && len(loads) >= limit {
			return sqlread.ErrEnough
		}
		return nil
	}, "SELECT jid, at, user, load FROM jids WHERE at BETWEEN ? AND ? AND load IS NOT NULL ORDER BY at DESC, jid DESC", since, until)
	if err != nil {
		return nil, err
	}
	for i := range loads {
		if grown[loads[i].JID] {
			if err := s.whole(ctx, &loads[i]); err != nil {
				return nil, err
			}
		}
	}
	loads = slices.DeleteFunc(loads, func(l returners.Load) bool { return !f.Match(l) })
	if f.Limit > 0 && len(loads) > f.Limit {
		loads = loads[:f.Limit]
	}
	return loads, nil
}

// GetFun reads the last return of each minion for one function. It scans all returns: an
// index would make each of them slower to store.
func (s *Store) GetFun(ctx context.Context, fun string) (map[string]returners.Return, error) {
	last := map[string]returners.Return{}
	err := s.query(ctx, "read the last returns of "+fun, func(scan sqlread.Scan) error {
		r, err := scanReturn(scan)
		last[r.ID] = r
		return err
	}, "SELECT "+returnColumns+` FROM (SELECT id, max(jid) AS jid FROM salt_returns WHERE fun = ? GROUP BY id) m
		JOIN salt_returns r ON r.jid = m.jid AND r.id = m.id`, fun)
	if err != nil {
		return nil, err
	}
	return last, nil
}

// Minions returns all minions with a return, sorted. It scans all keys.
func (s *Store) Minions(ctx context.Context) (ids []string, err error) {
	err = s.query(ctx, "list minions", sqlread.Append(&ids, sqlread.Column[string]), "SELECT DISTINCT id FROM salt_returns ORDER BY id")
	return ids, err
}
