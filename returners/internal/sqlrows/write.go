package sqlrows

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

const (
	// BatchRows is the most rows of a batch: at 7 columns, far from the 65,535 parameters of PostgreSQL.
	BatchRows  = 500
	batchBytes = 1 << 20 // well under the smallest max_allowed_packet of MySQL in use (4 MiB)
	tries      = 8       // for what meets contention
)

// Stats counts what a store did.
type Stats struct {
	Rows       uint64 // rows sent
	Statements uint64 // batches stored
	Retries    uint64 // batches and transactions repeated after contention or a lost connection
	Duplicates uint64 // rows refused because of a unique key of the user
}

// Writer repeats and counts writes. It is safe for concurrent use.
type Writer struct {
	// Class returns the class of an error. Required.
	Class func(error) string

	mu sync.Mutex
	st Stats
}

// Stats returns a copy of the counters.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.st
}

func (w *Writer) count(f func(*Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.st)
}

// Sort sorts rows by their keys. Rows of one key keep their order.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.JID, b.JID), cmp.Compare(a.ID, b.ID)) })
}

// ByJob returns the minion ids of sorted rows by job, at most BatchRows at a time.
func ByJob(rows []Row) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for len(rows) > 0 {
			jid := rows[0].JID
			var ids []string
			for len(ids) < len(rows) && len(ids) < BatchRows && rows[len(ids)].JID == jid {
				ids = append(ids, rows[len(ids)].ID)
			}
			if rows = rows[len(ids):]; !yield(jid, ids) {
				return
			}
		}
	}
}

// Write sends sorted rows in batches. A batch is repeated while other writers hold
// its rows, and if repeatable once after a lost connection: its outcome is then unknown.
func (w *Writer) Write(ctx context.Context, rows []Row, repeatable bool, send func(context.Context, []Row) error) error {
	for len(rows) > 0 {
		n, size := 0, 0
		for n < len(rows) && n < BatchRows && (n == 0 || size+rows[n].Size <= batchBytes) {
			size += rows[n].Size
			n++
		}
		if err := w.batch(ctx, rows[:n], repeatable, send); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (w *Writer) batch(ctx context.Context, rows []Row, repeatable bool, send func(context.Context, []Row) error) error {
	reconnected := false
	err := w.retry(ctx, func() error { return send(ctx, rows) }, func(class string) bool {
		if class == returners.ClassConnection && repeatable && !reconnected && ctx.Err() == nil {
			reconnected = true // the connection had died; the next one shows whether the server did too
			return true
		}
		return class == returners.ClassContention
	})
	switch {
	case err == nil:
		w.count(func(st *Stats) { st.Rows += uint64(len(rows)); st.Statements++ })
		return nil
	case w.Class(err) != returners.ClassDuplicate:
		return err
	case len(rows) == 1: // only a further unique key can cause this, or a server that reports it at commit: the row exists
		w.count(func(st *Stats) { st.Duplicates++ })
		return nil
	}
	if err := w.batch(ctx, rows[:len(rows)/2], repeatable, send); err != nil {
		return err
	}
	return w.batch(ctx, rows[len(rows)/2:], repeatable, send)
}

// Retry repeats do while other writers hold its rows.
func (w *Writer) Retry(ctx context.Context, do func() error) error {
	return w.retry(ctx, do, func(class string) bool { return class == returners.ClassContention })
}

func (w *Writer) retry(ctx context.Context, do func() error, again func(class string) bool) (err error) {
	for try := range tries {
		if err = do(); err == nil || !again(w.Class(err)) {
			return err
		}
		w.count(func(st *Stats) { st.Retries++ })
		// A random part of 10 ms, 20 ms, … 640 ms.
		if timing.Sleep(ctx, rand.N(10*time.Millisecond<<min(try, 6))) != nil {
			break
		}
	}
	return err
}

const (
	// every is how often a job's row in mom_jobs is updated while it gets rows. Old jobs may be cleaned that much
	// earlier.
	every = 10 * time.Second
	// mostUpdated bounds the jobs whose last update is remembered.
	mostUpdated = 4096
)

// Updates remembers when the row of a job in mom_jobs was last updated. It is safe for concurrent use.
type Updates struct {
	mu sync.Mutex
	at map[string]time.Time // by jid
}

// Do calls update for the jobs of rows whose last update is long ago.
func (u *Updates) Do(rows []Row, update func(jids []string) error) error {
	now := time.Now() // process clock: used for intervals only
	var jids []string
	u.mu.Lock()
	due := map[string]bool{}
	for i := range rows {
		id := rows[i].JID
		if at, ok := u.at[id]; !due[id] && (!ok || now.Sub(at) >= every) {
			due[id] = true
			jids = append(jids, id)
		}
	}
	u.mu.Unlock()
	if err := update(jids); err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil || len(u.at)+len(jids) > mostUpdated {
		u.at = map[string]time.Time{}
	}
	for _, id := range jids {
		u.at[id] = now
	}
	return nil
}
