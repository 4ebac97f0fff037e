//go:build linux

package galera

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/lab/galera/servers"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql"
	"github.com/momtree/mom/returners/sqlite"
)

// writer is what a node of a tree is to SQL.
type writer struct {
	number int
	h      *history
	local  *sqlite.Store
	group  *returners.Group
	remote *mysql.Store
	drain  *returners.Drain

	sql   pauses // of rows that reach SQL
	every *pauses

	jobs   chan int
	mu     sync.Mutex
	slow   time.Duration // the longest commit to the embedded store
	rows   int           // returns committed
	cancel context.CancelFunc
	wg     sync.WaitGroup
	err    error
}

// watched notes when returns have reached SQL.
type watched struct {
	*mysql.Store
	w *writer
}

func (s watched) SaveReturns(ctx context.Context, rets []returners.Return) error {
	err := s.Store.SaveReturns(ctx, rets)
	if err == nil {
		s.w.sql.good()
		s.w.every.good()
	}
	return err
}

// newWriter opens the stores of a writer. It lists the servers beginning with that of its number.
func newWriter(ctx context.Context, number int, c *cluster, h *history, dir string, timeout time.Duration, every *pauses, log *slog.Logger) (_ *writer, err error) {
	w := &writer{number: number, h: h, every: every, jobs: make(chan int, 100_000)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	log = log.With("writer", number+1)
	if w.local, err = sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, fmt.Sprintf("w%d", number+1), "jobs.db"), Log: log}); err != nil {
		return w, err
	}
	w.group = returners.NewGroup(w.local, returners.GroupConfig{Log: log})
	var hosts []string
	for i := range size {
		hosts = append(hosts, c.Nodes[(number+i)%size].Addr)
	}
	w.remote, err = mysql.Open(ctx, mysql.Options{
		Host: strings.Join(hosts, ","), Port: servers.Port, User: servers.User, Pass: servers.Password, DB: database, Timeout: timeout, Log: log,
	})
	if err != nil {
		return w, err
	}
	w.drain = returners.NewDrain(w.local, watched{w.remote, w}, returners.DrainConfig{Log: log})
	return w, nil
}

// run starts the drain, and the commits of the jobs that are put into w.jobs.
func (w *writer) run() {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.wg.Go(func() {
		if err := w.drain.Run(ctx); err != nil {
			w.fail(err)
		}
	})
	w.wg.Go(func() {
		last := -1
		for job := range w.jobs {
			w.job(ctx, job)
			if job >= lateBy {
				w.commit(ctx, w.h.late(job-lateBy, w.number))
			}
			last = job
		}
		for job := max(0, last-lateBy+1); job <= last; job++ {
			w.commit(ctx, w.h.late(job, w.number))
		}
	})
}

func (w *writer) job(ctx context.Context, job int) {
	b, err := w.h.opening(job, w.number)
	if err != nil {
		w.fail(err)
		return
	}
	w.commit(ctx, b)
	w.commit(ctx, w.h.answers(job, w.number))
}

// commit does what a master does before it acknowledges returns.
func (w *writer) commit(ctx context.Context, b returners.Batch) {
	began := time.Now()
	if _, err := w.group.Commit(ctx, b); err != nil {
		w.fail(fmt.Errorf("commit to the embedded store: %w", err))
		return
	}
	w.drain.Wake()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow = max(w.slow, time.Since(began))
	w.rows += len(b.Returns)
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, fmt.Errorf("writer %d: %w", w.number+1, err))
}

// waiting returns the number of rows that have not reached SQL, and of those that SQL refused.
func (w *writer) waiting(ctx context.Context) (rows, refused int64, err error) {
	rows, _, err1 := w.local.OutboxDepth(ctx, returners.DestMySQL)
	refused, _, err2 := w.local.OutboxDepth(ctx, returners.Rejected(returners.DestMySQL))
	return rows, refused, errors.Join(err1, err2)
}

// close ends the writer and closes its stores.
func (w *writer) close() error {
	if w.cancel != nil {
		w.cancel()
		w.wg.Wait()
	}
	var errs []error
	if w.group != nil {
		errs = append(errs, w.group.Close())
	}
	if w.remote != nil {
		errs = append(errs, w.remote.Close())
	}
	if w.local != nil {
		errs = append(errs, w.local.Close())
	}
	return errors.Join(errs...)
}
