package mysql

import (
	"context"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// query runs a read and visits its rows.
func (s *Store) query(ctx context.Context, doing string, visit func(sqlread.Scan) error, query string, args ...any) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.fault(doing, sqlread.Each(ctx, s.db, visit, query, args...))
}

// GetLoad reads what was published for a job.
func (s *Store) GetLoad(ctx context.Context, jid string) (l returners.Load, ok bool, err error) {
	err = s.query(ctx, "read the load of job "+jid, func(scan sqlread.Scan) (err error) {
		l, err = s.form.ScanLoad(scan)
		ok = err == nil
		return err
	}, "SELECT jid, `load` FROM jids WHERE jid = ?", jid)
	return l, ok, err
}

const returnColumns = "r.jid, r.id, r.fun, r.success, r.`return`, r.full_ret, r.alter_time"

// GetReturns reads all returns of a job, ordered by minion id.
func (s *Store) GetReturns(ctx context.Context, jid string) (rets []returners.Return, err error) {
	err = s.query(ctx, "read the returns of job "+jid, sqlread.Append(&rets, s.form.ScanReturn), "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = ? ORDER BY r.id", jid)
	return rets, err
}

// GetReturn reads the return of one minion; ok is false if it has not returned.
func (s *Store) GetReturn(ctx context.Context, jid, id string) (r returners.Return, ok bool, err error) {
	err = s.query(ctx, "read the return of "+id+" to job "+jid, func(scan sqlread.Scan) (err error) {
		r, err = s.form.ScanReturn(scan)
		ok = err == nil
		return err
	}, "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = ? AND r.id = ? LIMIT 1", jid, id)
	return r, ok, err
}

// GetExpectations reads who was asked, ordered by node.
func (s *Store) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	x := sqlrows.Expectations{JID: jid}
	err := s.query(ctx, "read the nodes of job "+jid, x.Node, "SELECT node, alter_time FROM mom_nodes WHERE jid = ?", jid)
	if err != nil {
		return nil, err
	}
	err = s.query(ctx, "read the expectations of job "+jid, x.Minion, "SELECT id, node, missing FROM mom_expected WHERE jid = ?", jid)
	return x.List(), err
}

// ListJobs lists jobs with a load, newest first.
func (s *Store) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	return s.form.ListJobs(f, func(since, until string, limit int, visit func(sqlread.Scan) error) error {
		if until == "" {
			until = "\U0010FFFF"
		}
		return s.query(ctx, "list jobs", visit, "SELECT jid, `load` FROM jids WHERE jid >= ? AND jid < ? ORDER BY jid DESC LIMIT ?", since, until, limit)
	})
}

// GetFun reads the last return of each minion for one function.
func (s *Store) GetFun(ctx context.Context, fun string) (map[string]returners.Return, error) {
	last := map[string]returners.Return{}
	err := s.query(ctx, "read the last returns of a function", func(scan sqlread.Scan) error {
		r, err := s.form.ScanReturn(scan)
		last[r.ID] = r
		return err
	}, "SELECT "+returnColumns+" FROM (SELECT id, MAX(jid) AS jid FROM salt_returns WHERE fun = ? GROUP BY id) m "+
		"JOIN salt_returns r ON r.jid = m.jid AND r.id = m.id", fun)
	if err != nil {
		return nil, err
	}
	return last, nil
}

// Minions lists all minions with a return, sorted.
func (s *Store) Minions(ctx context.Context) (ids []string, err error) {
	err = s.query(ctx, "list minions", sqlread.Append(&ids, sqlread.Column[string]), "SELECT DISTINCT id FROM salt_returns ORDER BY id")
	return ids, err
}
