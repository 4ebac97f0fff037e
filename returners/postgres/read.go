package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// page is the number of jobs read at once when listing.
const page = 500

// query runs a read and visits its rows. Ids are sorted by the caller: the order of a
// database depends on its collation.
func (s *Store) query(ctx context.Context, doing string, visit func(sqlread.Scan) error, query string, args ...any) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.within(ctx, doing, func(ctx context.Context, progress func()) error {
		return sqlread.Each(ctx, s.db, func(scan sqlread.Scan) error {
			progress()
			return visit(scan)
		}, query, args...)
	})
}

func (s *Store) scanLoad(scan sqlread.Scan) (returners.Load, error) {
	var l returners.Load
	var text []byte
	err := scan(&l.JID, &text)
	if err != nil {
		return l, err
	}
	if l.Raw, err = s.fromJSON(text); err != nil {
		return l, fmt.Errorf("load of job %s: %w", l.JID, err)
	}
	_ = wire.Fields(l.Raw, func(key string, val wire.Raw) error { // a load that is not a map has no user
		if key == "user" {
			l.User, _ = wire.Str(val)
		}
		return nil
	})
	if jid.Valid(l.JID) {
		l.At, err = jid.Time(l.JID)
	}
	return l, err
}

// GetLoad reads what was published for a job.
func (s *Store) GetLoad(ctx context.Context, jid string) (l returners.Load, ok bool, err error) {
	err = s.query(ctx, "read the load of job "+jid, func(scan sqlread.Scan) (err error) {
		l, err = s.scanLoad(scan)
		ok = err == nil
		return err
	}, "SELECT jid, load::text FROM jids WHERE jid = $1", jid)
	return l, ok, err
}

const returnColumns = `r.jid, r.id, r.fun, r.success, r."return"::text, r.full_ret::text, r.alter_time`

func (s *Store) scanReturn(scan sqlread.Scan) (returners.Return, error) {
	var (
		r           returners.Return
		success     string
		value, full []byte
		at          sql.NullTime
	)
	err := scan(&r.JID, &r.ID, &r.Fun, &success, &value, &full, &at)
	if err != nil {
		return r, err
	}
	r.Success = success == "true" || success == "True" || success == "1"
	r.At = at.Time.UTC()
	if r.Value, err = s.fromJSON(value); err != nil {
		return r, fmt.Errorf("return of %s to job %s: %w", r.ID, r.JID, err)
	}
	if r.Full, err = s.fromJSON(full); err != nil {
		return r, fmt.Errorf("load of the return of %s to job %s: %w", r.ID, r.JID, err)
	}
	err = wire.Fields(r.Full, func(key string, val wire.Raw) error {
		switch key { // absent or of another kind (a compound call): the zero value
		case "retcode":
			n, _ := wire.Int(val)
			r.Retcode = int(n)
		case "out":
			r.Out, _ = wire.Str(val)
		case "master_id":
			r.MasterID, _ = wire.Str(val)
		}
		return nil
	})
	return r, err
}

// GetReturns reads all returns of a job, ordered by minion id.
func (s *Store) GetReturns(ctx context.Context, jid string) (rets []returners.Return, err error) {
	err = s.query(ctx, "read the returns of job "+jid, sqlread.Append(&rets, s.scanReturn), "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = $1", jid)
	slices.SortFunc(rets, func(a, b returners.Return) int { return cmp.Compare(a.ID, b.ID) })
	return rets, err
}

// GetReturn reads the return of one minion; ok is false if it has not returned.
func (s *Store) GetReturn(ctx context.Context, jid, id string) (r returners.Return, ok bool, err error) {
	err = s.query(ctx, "read the return of "+id+" to job "+jid, func(scan sqlread.Scan) (err error) {
		r, err = s.scanReturn(scan)
		ok = err == nil
		return err
	}, "SELECT "+returnColumns+" FROM salt_returns r WHERE r.jid = $1 AND r.id = $2 LIMIT 1", jid, id)
	return r, ok, err
}

// GetExpectations reads who was asked, ordered by node.
func (s *Store) GetExpectations(ctx context.Context, jid string) (exps []returners.Expectation, err error) {
	err = s.query(ctx, "read the nodes of job "+jid, func(scan sqlread.Scan) error {
		e := returners.Expectation{JID: jid}
		var t sql.NullTime
		err := scan(&e.Node, &t)
		e.At = t.Time.UTC()
		exps = append(exps, e)
		return err
	}, "SELECT node, alter_time FROM mom_nodes WHERE jid = $1", jid)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(exps, func(a, b returners.Expectation) int { return cmp.Compare(a.Node, b.Node) })
	at := map[string]*returners.Expectation{}
	for i := range exps {
		at[exps[i].Node] = &exps[i]
	}
	err = s.query(ctx, "read the expectations of job "+jid, func(scan sqlread.Scan) error {
		var id, node string
		var missing sql.NullString
		if err := scan(&id, &node, &missing); err != nil {
			return err
		}
		e := at[node]
		if e == nil {
			return fmt.Errorf("minion %s is expected at node %q, which mom_nodes does not know", id, node)
		}
		if !missing.Valid {
			e.Minions = append(e.Minions, id)
			return nil
		}
		if e.Missing == nil {
			e.Missing = map[string]string{}
		}
		e.Missing[id] = missing.String
		return nil
	}, "SELECT id, node, missing FROM mom_expected WHERE jid = $1", jid)
	for i := range exps {
		slices.Sort(exps[i].Minions)
	}
	return exps, err
}

// ListJobs lists jobs with a load, newest first. A jid is the time of its job, so a time
// range is a key range.
func (s *Store) ListJobs(ctx context.Context, f returners.Filter) (loads []returners.Load, err error) {
	since, until := "", ""
	if !f.Since.IsZero() {
		since = jid.New(f.Since)
	}
	if !f.Until.IsZero() {
		until = jid.New(f.Until)
	}
	for {
		where, args := "jid >= $1", []any{since}
		if until != "" {
			where, args = where+" AND jid < $2", append(args, until)
		}
		n := 0
		err := s.query(ctx, "list jobs", func(scan sqlread.Scan) error {
			l, err := s.scanLoad(scan)
			if err != nil {
				return err
			}
			n++
			until = l.JID
			if f.Match(l) && (f.Limit <= 0 || len(loads) < f.Limit) {
				loads = append(loads, l)
			}
			return nil
		}, fmt.Sprintf("SELECT jid, load::text FROM jids WHERE %s ORDER BY jid DESC LIMIT %d", where, page), args...)
		if err != nil || n < page || f.Limit > 0 && len(loads) >= f.Limit {
			return loads, err
		}
	}
}

// GetFun reads the last return of each minion for one function.
func (s *Store) GetFun(ctx context.Context, fun string) (map[string]returners.Return, error) {
	last := map[string]returners.Return{}
	err := s.query(ctx, "read the last returns of a function", func(scan sqlread.Scan) error {
		r, err := s.scanReturn(scan)
		last[r.ID] = r
		return err
	}, "SELECT "+returnColumns+" FROM (SELECT id, MAX(jid) AS jid FROM salt_returns WHERE fun = $1 GROUP BY id) m "+
		"JOIN salt_returns r ON r.jid = m.jid AND r.id = m.id", fun)
	if err != nil {
		return nil, err
	}
	return last, nil
}

// Minions lists all minions with a return, sorted.
func (s *Store) Minions(ctx context.Context) (ids []string, err error) {
	err = s.query(ctx, "list minions", sqlread.Append(&ids, sqlread.Column[string]), "SELECT DISTINCT id FROM salt_returns")
	slices.SortFunc(ids, strings.Compare)
	return ids, err
}
