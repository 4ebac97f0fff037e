package sqlrows

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Row is one row of a table. JID and ID are its sort key: writers that take locks in one order do not deadlock.
type Row struct {
	JID, ID string
	Values  []any
	Size    int // bytes, about
}

// Form is how a database holds values. All fields are required.
type Form struct {
	ToJSON   func(wire.Raw) ([]byte, error)
	FromJSON func([]byte) (wire.Raw, error)
	// True and False are the texts of the column success.
	True, False string
	// Stamp returns the value of a time; zero: now.
	Stamp func(time.Time) time.Time
	// Refuse returns the error of a row that cannot be written as JSON.
	Refuse func(what string, err error) error
}

// text returns a value as JSON.
func (f *Form) text(raw wire.Raw, empty string) (string, error) {
	if len(raw) == 0 {
		return empty, nil
	}
	b, err := f.ToJSON(raw)
	return string(b), err
}

// Loads returns rows of jids: jid, load.
func (f *Form) Loads(loads []returners.Load) ([]Row, error) {
	rows := make([]Row, 0, len(loads))
	for i := range loads {
		l := &loads[i]
		text, err := f.text(l.Raw, "{}")
		if err != nil {
			return nil, f.Refuse("load of job "+l.JID, err)
		}
		rows = append(rows, Row{l.JID, "", []any{l.JID, text}, len(text)})
	}
	return rows, nil
}

// Returns returns rows of salt_returns: fun, jid, return, id, success, full_ret, alter_time.
func (f *Form) Returns(rets []returners.Return) ([]Row, error) {
	rows := make([]Row, 0, len(rets))
	for i := range rets {
		r := &rets[i]
		value, err := f.text(r.Value, "null")
		if err != nil {
			return nil, f.Refuse(fmt.Sprintf("return of %s to job %s", r.ID, r.JID), err)
		}
		full, err := f.text(r.Full, "{}")
		if err != nil {
			return nil, f.Refuse(fmt.Sprintf("load of the return of %s to job %s", r.ID, r.JID), err)
		}
		success := f.False
		if r.Success {
			success = f.True
		}
		rows = append(rows, Row{r.JID, r.ID, []any{r.Fun, r.JID, value, r.ID, success, full, f.Stamp(r.At)}, len(r.Fun) + len(value) + len(full)})
	}
	return rows, nil
}

// Expectations returns rows of mom_nodes (jid, node, alter_time) and of mom_expected (jid, id, node, missing,
// alter_time), and those of the latter whose minions are missing.
func (f *Form) Expectations(exps []returners.Expectation) (nodes, minions, missing []Row) {
	for i := range exps {
		e := &exps[i]
		at := f.Stamp(e.At)
		if e.State == "" || e.State == returners.StateAnswered || e.State == "plain" || len(e.Minions)+len(e.Missing) > 0 { // else it reports nothing
			nodes = append(nodes, Row{e.JID, e.Node, []any{e.JID, e.Node, at}, len(e.Node)})
		}
		for _, id := range e.Minions {
			if _, down := e.Missing[id]; !down {
				minions = append(minions, Row{e.JID, id, []any{e.JID, id, e.Node, nil, at}, 2 * len(id)})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(e.Missing)) {
			r := Row{e.JID, id, []any{e.JID, id, e.Node, e.Missing[id], at}, 2*len(id) + len(e.Missing[id])}
			minions, missing = append(minions, r), append(missing, r)
		}
	}
	return nodes, minions, missing
}

// Events returns rows of salt_events: tag, data, alter_time, master_id, mom_key. They have no sort key: events are
// written in their order.
func (f *Form) Events(events []returners.Event) ([]Row, error) {
	rows := make([]Row, 0, len(events))
	for i := range events {
		e := &events[i]
		data, err := f.text(e.Data, "null")
		if err != nil {
			return nil, f.Refuse("event "+e.Tag, err)
		}
		var key any
		if e.Key != "" {
			key = e.Key
		}
		rows = append(rows, Row{Values: []any{e.Tag, data, f.Stamp(e.At), e.MasterID, key}, Size: len(e.Tag) + len(data)})
	}
	return rows, nil
}

// named returns rows with a jid alone.
func named(jids []string) []Row {
	rows := make([]Row, len(jids))
	for i, id := range jids {
		rows[i] = Row{id, "", []any{id}, len(id)}
	}
	return rows
}

// Values returns the values of all rows.
func Values(rows []Row) (all []any) {
	for i := range rows {
		all = append(all, rows[i].Values...)
	}
	return all
}
