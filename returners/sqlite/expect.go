package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/roll"
	"github.com/momtree/mom/returners/internal/sqlread"
)

// pageIDs is how many minions a page has after it was split; it grows to twice that.
const pageIDs = 64

// expected is what a batch does to the expectation of one node. Each of its pages is
// read once and written once, however many words the batch has of it.
type expected struct {
	jid, node string
	at        int64 // of the first word, microseconds
	age       int64 // of the last one
	state     string
	known     bool // it was stored before this batch
	touched   bool
	pages     []*page // those that were looked at, in their order
	changes   roll.Marks
}

// page holds the minions from first up to next; next "" of the last one.
type page struct {
	first, next string
	marks       roll.Marks
	dirty       bool
}

// expectation enters one word into the expectation of its node and tells whether it
// changes anything.
func (w *writer) expectation(ctx context.Context, x *returners.Expectation) (bool, error) {
	e, err := w.expected(ctx, x)
	if err != nil {
		return false, err
	}
	changed := !e.known && !e.touched
	if changed {
		e.state = x.State
	}
	state, moved := roll.State(e.state, x.State)
	e.state, changed = state, changed || moved
	err = roll.EachMark(x, func(id string, k roll.Mark) error {
		p, err := w.page(ctx, e, id)
		if err != nil {
			return err
		}
		//mutant:sql-gets-what-a-report-changed
		if p.marks.Put(id, k) {
			p.dirty, changed = true, true
			if w.sendsExpectations {
				e.changes[id] = k
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if changed {
		e.touched = true
		e.age = max(e.age, w.age(cmp.Or(x.At, w.now)))
	}
	return changed, nil
}

// expected gives the expectation of a node as this batch has it.
func (w *writer) expected(ctx context.Context, x *returners.Expectation) (*expected, error) {
	k := [2]string{x.JID, x.Node}
	if e := w.exps[k]; e != nil {
		return e, nil
	}
	e := &expected{jid: x.JID, node: x.Node, changes: roll.Marks{}}
	switch err := w.stmt(ctx, w.st.getExp).QueryRowContext(ctx, x.JID, x.Node).Scan(&e.at, &e.state); {
	case errors.Is(err, sql.ErrNoRows):
		e.at = cmp.Or(x.At, w.now).UnixMicro()
		e.pages = []*page{{marks: make(roll.Marks, len(x.Minions)+len(x.Missing))}}
	case err != nil:
		return nil, err
	default:
		e.known = true
	}
	w.exps[k] = e
	return e, nil
}

// page gives the page on which a minion stands, or would.
func (w *writer) page(ctx context.Context, e *expected, id string) (*page, error) {
	i, _ := slices.BinarySearchFunc(e.pages, id, func(p *page, id string) int {
		if p.first <= id {
			return -1
		}
		return 1
	})
	if i > 0 && (e.pages[i-1].next == "" || id < e.pages[i-1].next) {
		return e.pages[i-1], nil
	}
	p := &page{marks: roll.Marks{}}
	var data []byte
	var next sql.NullString
	switch err := w.stmt(ctx, w.st.getPage).QueryRowContext(ctx, e.jid, e.node, id).Scan(&p.first, &data); {
	case errors.Is(err, sql.ErrNoRows): // there is no page yet: this one holds all
		e.pages = []*page{p}
		return p, nil
	case err != nil:
		return nil, err
	}
	if err := w.stmt(ctx, w.st.nextPage).QueryRowContext(ctx, e.jid, e.node, id).Scan(&next); err != nil {
		return nil, err
	}
	var err error
	if p.marks, err = roll.Decode(data); err != nil {
		return nil, fmt.Errorf("from %q on: %w", p.first, err)
	}
	p.next = next.String
	e.pages = slices.Insert(e.pages, i, p)
	return p, nil
}

// putExpected writes what the batch has changed of expectations, and notes it for those
// who are owed it.
func (w *writer) putExpected(ctx context.Context, fresh changed) error {
	for _, e := range w.exps {
		if !e.touched {
			continue
		}
		if err := w.putPages(ctx, e); err != nil {
			return fmt.Errorf("expectation of job %s at node %q: %w", e.jid, e.node, err)
		}
		if !w.sendsExpectations {
			continue
		}
		word := returners.Expectation{JID: e.jid, Node: e.node, At: time.UnixMicro(e.at).UTC(), State: e.state}
		e.changes.Into(&word)
		data, err := returners.EncodeExpectation(word)
		if err != nil {
			return err
		}
		fresh[rowKey{returners.KindExpectation, e.jid, e.node}] = change{size: int64(len(data)), payload: data}
	}
	return nil
}

func (w *writer) putPages(ctx context.Context, e *expected) error {
	if _, err := w.exec(ctx, w.st.putExp, e.jid, e.node, e.at, e.state); err != nil {
		return err
	}
	for _, p := range e.pages {
		if !p.dirty {
			continue
		}
		ids := p.marks.IDs()
		step := 2 * pageIDs
		//mutant:expectation-pages-are-small
		if len(ids) > step {
			step = pageIDs
		}
		first := p.first
		for part := range slices.Chunk(ids, step) {
			if _, err := w.exec(ctx, w.st.putPage, e.jid, e.node, first, p.marks.Encode(part)); err != nil {
				return err
			}
			ids = ids[len(part):]
			if len(ids) > 0 {
				first = ids[0]
			}
		}
	}
	_, err := w.exec(ctx, w.st.seen, e.jid, jid.TimeOr(e.jid, time.UnixMicro(e.at)).UnixMicro(), e.age)
	return err
}

// GetExpectations reads who was asked, ordered by node.
func (s *Store) GetExpectations(ctx context.Context, jid string) (exps []returners.Expectation, err error) {
	err = s.query(ctx, "read the expectations of job "+jid, func(scan sqlread.Scan) error {
		x := returners.Expectation{JID: jid}
		var at int64
		var page []byte
		if err := scan(&x.Node, &at, &x.State, &page); err != nil {
			return err
		}
		if n := len(exps); n == 0 || exps[n-1].Node != x.Node {
			x.At = time.UnixMicro(at).UTC()
			exps = append(exps, x)
		}
		if err := roll.Read(page, &exps[len(exps)-1]); err != nil {
			return fmt.Errorf("node %q: %w", x.Node, err)
		}
		return nil
	}, `SELECT e.node, e.at, e.state, p.data FROM expectations e
		LEFT JOIN expected_pages p ON p.jid = e.jid AND p.node = e.node WHERE e.jid = ? ORDER BY e.node, p.first`, jid)
	return exps, err
}
