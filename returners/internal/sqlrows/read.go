package sqlrows

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// page is the number of jobs read at once when listing.
const page = 500

// ScanLoad reads a row with jid and load.
func (f *Form) ScanLoad(scan sqlread.Scan) (returners.Load, error) {
	var l returners.Load
	var text []byte
	err := scan(&l.JID, &text)
	if err != nil {
		return l, err
	}
	if l.Raw, err = f.FromJSON(text); err != nil {
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

// ScanReturn reads a row with jid, id, fun, success, return, full_ret, alter_time.
func (f *Form) ScanReturn(scan sqlread.Scan) (returners.Return, error) {
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
	// A Python driver may have written a boolean as text.
	r.Success = success == "1" || success == "True" || success == "true"
	r.At = at.Time.UTC()
	if r.Value, err = f.FromJSON(value); err != nil {
		return r, fmt.Errorf("return of %s to job %s: %w", r.ID, r.JID, err)
	}
	if r.Full, err = f.FromJSON(full); err != nil {
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

// Expectations collects the expectations of one job: first the nodes, then the minions.
type Expectations struct {
	JID  string
	list []returners.Expectation
	at   map[string]int // by node
}

// Node reads a row with node and alter_time.
func (x *Expectations) Node(scan sqlread.Scan) error {
	e := returners.Expectation{JID: x.JID}
	var t sql.NullTime
	err := scan(&e.Node, &t)
	e.At = t.Time.UTC()
	if x.at == nil {
		x.at = map[string]int{}
	}
	x.at[e.Node] = len(x.list)
	x.list = append(x.list, e)
	return err
}

// Minion reads a row with id, node and missing.
func (x *Expectations) Minion(scan sqlread.Scan) error {
	var id, node string
	var missing sql.NullString
	if err := scan(&id, &node, &missing); err != nil {
		return err
	}
	i, ok := x.at[node]
	if !ok {
		return fmt.Errorf("minion %s is expected at node %q, which mom_nodes does not know", id, node)
	}
	e := &x.list[i]
	if !missing.Valid {
		e.Minions = append(e.Minions, id)
		return nil
	}
	if e.Missing == nil {
		e.Missing = map[string]string{}
	}
	e.Missing[id] = missing.String
	return nil
}

// List returns the expectations, ordered by node. The order of a database depends on its collation.
func (x *Expectations) List() []returners.Expectation {
	for i := range x.list {
		slices.Sort(x.list[i].Minions)
	}
	slices.SortFunc(x.list, func(a, b returners.Expectation) int { return cmp.Compare(a.Node, b.Node) })
	return x.list
}

// ListJobs lists jobs with a load, newest first. read visits at most limit rows of jids with since <= jid < until, by
// descending jid; without until if that is "". A jid is the time of its job, so a time range is a key range.
func (f *Form) ListJobs(filter returners.Filter, read func(since, until string, limit int, visit func(sqlread.Scan) error) error) (loads []returners.Load, err error) {
	since, until := "", ""
	if !filter.Since.IsZero() {
		since = jid.New(filter.Since)
	}
	if !filter.Until.IsZero() {
		until = jid.New(filter.Until)
	}
	for {
		n := 0
		err := read(since, until, page, func(scan sqlread.Scan) error {
			l, err := f.ScanLoad(scan)
			if err != nil {
				return err
			}
			n++
			until = l.JID
			if filter.Match(l) && (filter.Limit <= 0 || len(loads) < filter.Limit) {
				loads = append(loads, l)
			}
			return nil
		})
		if err != nil || n < page || filter.Limit > 0 && len(loads) >= filter.Limit {
			return loads, err
		}
	}
}
