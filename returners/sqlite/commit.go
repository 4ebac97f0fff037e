package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// write runs fn in one transaction, after the running ones. If ctx ends while waiting,
// write returns an error. A transaction that has begun ignores ctx: it is short, and its
// outcome would be unknown.
func (s *Store) write(ctx context.Context, doing string, fn func(ctx context.Context, tx *writer) error) error {
	return s.writeAt(ctx, synced, doing, fn)
}

func (s *Store) writeAt(ctx context.Context, at level, doing string, fn func(ctx context.Context, tx *writer) error) error {
	if s.closing.Load() {
		return s.closed()
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return fmt.Errorf("job store %s: wait to %s: %w", s.path, doing, ctx.Err())
	}
	defer func() { s.turn <- struct{}{} }()
	if s.closing.Load() {
		return s.closed()
	}
	ctx = context.WithoutCancel(ctx) // the driver starts a goroutine per statement for a ctx that can end
	if err := s.setLevel(ctx, at); err != nil {
		return s.fault(doing, err)
	}
	tx, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return s.fault(doing, err)
	}
	w := &writer{
		Store: s, tx: tx, now: s.o.Now(), bound: map[*sql.Stmt]*sql.Stmt{}, exps: map[[2]string]*expected{},
		changes: changes{by: map[string]weight{}, gone: map[string][]int64{}, other: map[string]bool{}},
	}
	err = s.depth.settle(ctx, tx)
	if err == nil {
		err = fn(ctx, w)
	}
	if err != nil {
		return s.fault(doing, errors.Join(err, rollback(tx)))
	}
	if err := tx.Commit(); err != nil {
		s.depth.uncertain()
		return s.fault(doing, errors.Join(err, rollback(tx)))
	}
	s.depth.add(&w.changes)
	return nil
}

func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// writer is one running transaction.
type writer struct {
	*Store
	tx  *sql.Tx
	now time.Time
	changes

	bound             map[*sql.Stmt]*sql.Stmt // prepared statements bound to tx, once each
	exps              map[[2]string]*expected // by jid and node: the expectations of this batch
	sendsExpectations bool                    // changes of expectations may go to an outbox
}

// count adds to the pending rows and bytes of dest.
func (w *writer) count(dest string, rows, bytes int64) {
	c := w.by[dest]
	w.by[dest] = weight{c.rows + rows, c.bytes + bytes}
}

// stmt binds a prepared statement to the transaction, which closes it.
func (w *writer) stmt(ctx context.Context, st *sql.Stmt) *sql.Stmt {
	b := w.bound[st]
	if b == nil {
		b = w.tx.StmtContext(ctx, st)
		w.bound[st] = b
	}
	return b
}

// age returns the time, by the clock of ages, at which a record with time at is stored.
func (w *writer) age(at time.Time) int64 {
	if w.o.age != nil {
		at = w.o.age()
	}
	return at.UnixMicro()
}

// exec runs a prepared statement and returns how many rows it changed.
func (w *writer) exec(ctx context.Context, st *sql.Stmt, args ...any) (int64, error) {
	res, err := w.stmt(ctx, st).ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Commit stores a batch in one durable transaction; see the package comment for what that
// guarantees. The result is aligned with the batch.
func (s *Store) Commit(ctx context.Context, b Batch) (Result, error) {
	if err := b.Validate(); err != nil {
		return Result{}, fmt.Errorf("job store %s: %w", s.path, err)
	}
	var res Result
	if b.Rows() == 0 {
		return res, nil
	}
	at := synced
	if b.Unsynced {
		at = unsynced
	}
	err := s.writeAt(ctx, at, "commit a batch", func(ctx context.Context, w *writer) (err error) {
		res, err = w.batch(ctx, b)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return res, nil
}

// rowKey identifies the record an outbox row refers to.
type rowKey struct{ kind, jid, id string }

// change is one record that a batch changed: its size, the payload of its outbox row if
// that is not the record itself, and the row in the form OutboxRead returns.
type change struct {
	size    int64
	payload []byte
	ret     *returners.Return
	load    *returners.Load
}

// changed are the records that a batch changed.
type changed map[rowKey]change

func (w *writer) batch(ctx context.Context, b Batch) (Result, error) {
	fresh := changed{}
	w.sendsExpectations = slices.ContainsFunc(b.Outbox, func(it Item) bool { return it.Kind == returners.KindExpectation })
	res := Result{
		NewLoads:        make([]bool, len(b.Loads)),
		NewExpectations: make([]bool, len(b.Expectations)),
		NewReturns:      make([]bool, len(b.Returns)),
	}
	var err error
	for i := range b.Loads {
		l := &b.Loads[i]
		if res.NewLoads[i], err = w.putLoad(ctx, l); err != nil {
			return res, fmt.Errorf("load of job %s: %w", l.JID, err)
		}
		if res.NewLoads[i] {
			fresh[rowKey{returners.KindLoad, l.JID, ""}] = change{size: int64(len(l.Raw)), load: l}
		}
	}
	for i := range b.Expectations {
		e := &b.Expectations[i]
		if res.NewExpectations[i], err = w.expectation(ctx, e); err != nil {
			return res, fmt.Errorf("expectation of job %s at node %q: %w", e.JID, e.Node, err)
		}
	}
	if err := w.putExpected(ctx, fresh); err != nil {
		return res, err
	}
	if err := w.returns(ctx, b.Returns, res.NewReturns, fresh); err != nil {
		return res, err
	}
	for i := range b.Events {
		if err := w.putEvent(ctx, &b.Events[i]); err != nil {
			return res, fmt.Errorf("event %q: %w", b.Events[i].Tag, err)
		}
	}
	if err := w.notes(ctx, b.Notes); err != nil {
		return res, err
	}
	return res, w.putOutbox(ctx, b.Outbox, fresh)
}

func (w *writer) returns(ctx context.Context, rets []returners.Return, isNew []bool, fresh changed) error {
	last := map[string]time.Time{} // newest new return of each job: one touch per job and batch
	for i := range rets {
		r := &rets[i]
		at := cmp.Or(r.At, w.now)
		var err error
		if isNew[i], err = w.putReturn(ctx, r, at); err != nil {
			return fmt.Errorf("return of %s to job %s: %w", r.ID, r.JID, err)
		}
		if !isNew[i] {
			continue
		}
		fresh[rowKey{returners.KindReturn, r.JID, r.ID}] = change{size: int64(len(r.Full)), ret: r}
		if l, ok := last[r.JID]; !ok || at.After(l) {
			last[r.JID] = at
		}
	}
	for id, at := range last {
		if _, err := w.exec(ctx, w.st.seen, id, jid.TimeOr(id, at).UnixMicro(), w.age(at)); err != nil {
			return fmt.Errorf("job %s: %w", id, err)
		}
	}
	return nil
}

func (w *writer) putLoad(ctx context.Context, l *returners.Load) (bool, error) {
	if len(l.More) > 0 {
		if extended, err := w.extend(ctx, l); extended || err != nil {
			return extended, err
		}
	}
	at := cmp.Or(l.At, w.now)
	raw := []byte(l.Raw)
	if raw == nil {
		raw = []byte{}
	}
	n, err := w.exec(ctx, w.st.load, l.JID, jid.TimeOr(l.JID, at).UnixMicro(), w.age(at), l.User, raw, l.Own)
	return n > 0, err
}

func (w *writer) putReturn(ctx context.Context, r *returners.Return, at time.Time) (bool, error) {
	valAt, value := -1, []byte(r.Value)
	if len(value) > 0 {
		if valAt = bytes.Index(r.Full, value); valAt >= 0 {
			value = nil
		}
	}
	n, err := w.exec(ctx, w.st.ret, r.JID, r.ID, r.Fun, r.Success, r.Retcode, r.Out, r.MasterID, r.Via,
		at.UnixMicro(), valAt, len(r.Value), value, []byte(r.Full))
	return n > 0, err
}

func (w *writer) putEvent(ctx context.Context, e *returners.Event) error {
	data := []byte(e.Data)
	if data == nil {
		data = []byte{0xc0}
	}
	_, err := w.exec(ctx, w.st.event, sql.NullString{String: e.Key, Valid: e.Key != ""}, e.Tag, data,
		w.age(cmp.Or(e.At, w.now)), e.MasterID)
	return err
}

// putOutbox writes the outbox rows of new records, each (dest, row) once: one batch may
// hold two submissions of one return.
func (w *writer) putOutbox(ctx context.Context, items []Item, fresh changed) error {
	type once struct {
		rowKey
		dest string
	}
	var done map[once]bool
	for i := range items {
		it := &items[i]
		size, payload, what := int64(len(it.Payload)), it.Payload, change{}
		if it.Kind != returners.KindEvent {
			k := rowKey{it.Kind, it.JID, it.ID}
			if it.Kind == returners.KindLoad {
				k.id = ""
			}
			kept, isNew := fresh[k]
			if !isNew || done[once{k, it.Dest}] {
				continue
			}
			if it.Payload == nil {
				size, payload = kept.size, kept.payload
			}
			what = kept
			if done == nil {
				done = make(map[once]bool, len(items))
			}
			done[once{k, it.Dest}] = true
		}
		res, err := w.stmt(ctx, w.st.putRow).ExecContext(ctx, it.Dest, it.Kind, it.JID, it.ID, w.now.UnixMicro(), payload, size)
		if err != nil {
			return fmt.Errorf("outbox row for %s: %w", it.Dest, err)
		}
		seq, err := res.LastInsertId()
		if err != nil {
			return fmt.Errorf("outbox row for %s: %w", it.Dest, err)
		}
		w.count(it.Dest, 1, size)
		w.added = append(w.added, w.asRead(Item{Seq: seq, Dest: it.Dest, Kind: it.Kind, JID: it.JID, ID: it.ID, Payload: payload}, what))
	}
	return nil
}

// asRead returns a row that was just written in the form OutboxRead returns.
func (w *writer) asRead(it Item, what change) Item {
	var stored wire.Raw
	switch {
	case what.ret != nil:
		r := *what.ret
		r.At, stored = time.UnixMicro(cmp.Or(r.At, w.now).UnixMicro()).UTC(), r.Full
		it.Return = &r
	case what.load != nil:
		l := returners.Load{JID: what.load.JID, Raw: what.load.Raw, User: what.load.User}
		l.At, stored = time.UnixMicro(jid.TimeOr(l.JID, cmp.Or(what.load.At, w.now)).UnixMicro()).UTC(), l.Raw
		it.Load = &l
	case it.Kind == returners.KindExpectation && len(it.Payload) > 0:
		if e, err := returners.DecodeExpectation(it.Payload); err == nil {
			it.Expectation = &e
		}
	}
	if it.Payload == nil {
		it.Payload = stored
	}
	return it
}
