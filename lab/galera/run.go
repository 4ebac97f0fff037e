//go:build linux

package galera

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Options configure a [Run].
type Options struct {
	Dir     string // an empty directory for everything; short, since socket paths have at most 107 bytes
	Kills   int    // how often each server is killed
	Seed    uint64 // of the faults
	Writers int    // at least 3
	Rate    int    // returns a second, of all writers
	// Timeout is mom's bound for a statement, 0: as in production.
	Timeout time.Duration
	// Suspect is how long a server may be silent until the others go on without it; Galera's
	// default is 5 s. Faults last longer or shorter than that.
	Suspect time.Duration
	// Settle is how long the rows may take to reach SQL after the last fault.
	Settle time.Duration
	// Short plays one fault of each kind.
	Short bool
	// Namespaces is set if the process has entered namespaces of its own (chaos.Enter).
	Namespaces bool
	Out        io.Writer // what happens; nil: nothing
}

// run is one run in progress.
type run struct {
	o       Options
	c       *cluster
	h       *history
	writers []*writer
	old     legacy
	sql     pauses
	spans   map[string][]span // by kind of fault
	began   time.Time
	jobs    int
}

// Run plays a schedule and reports what it has found.
func Run(ctx context.Context, o Options) (rep *Report, err error) {
	if o.Writers < 3 {
		return nil, fmt.Errorf("--writers is %d; each return is stored by two and all three servers are written to: use 3 or more", o.Writers)
	}
	if o.Suspect <= 0 {
		o.Suspect = 5 * time.Second
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	r := &run{o: o, spans: map[string][]span{}, began: time.Now()}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.c, err = newCluster(ctx, o.Dir, o.Namespaces, o.Suspect, r.note); err != nil {
		return nil, fmt.Errorf("start the cluster in %s: %w", o.Dir, err)
	}
	r.note("three servers are up")
	if err := r.old.fill(ctx, r.c.Nodes[0]); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(o.Dir, "writers"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	r.h = newHistory(time.Now(), o.Writers, o.Rate)
	for i := range o.Writers {
		w, err := newWriter(ctx, i, r.c, r.h, o.Dir, o.Timeout, &r.sql, slog.New(slog.NewTextHandler(log, nil)))
		if err != nil {
			return nil, err
		}
		r.writers = append(r.writers, w)
	}
	return r.play(ctx)
}

func (r *run) play(ctx context.Context) (*Report, error) {
	for _, w := range r.writers {
		w.run()
	}
	writing, stop := context.WithCancel(ctx)
	defer stop()
	migrating, migrated := context.WithCancel(ctx)
	defer migrated()
	var wg sync.WaitGroup
	wg.Go(func() { r.old.write(migrating, r.c.Nodes[size-1]) })
	wg.Go(func() { r.feed(writing) })
	err := r.await(ctx, patience, "the first rows of every writer in SQL", func() (bool, error) {
		for _, w := range r.writers {
			if w.drain.Stats().LastGood.IsZero() {
				return false, nil
			}
		}
		return true, nil
	})
	migrated()
	r.note("all writers have migrated the tables and write")
	if err == nil {
		err = r.breakAll(ctx)
	}
	stop()
	wg.Wait()
	for _, w := range r.writers {
		close(w.jobs)
	}
	if err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// feed passes a job to all writers every 200 ms.
func (r *run) feed(ctx context.Context) {
	for timing.Sleep(ctx, time.Until(r.h.began.Add(time.Duration(r.jobs)*every))) == nil {
		for _, w := range r.writers {
			w.jobs <- r.jobs
		}
		r.jobs++
	}
}

// breakAll plays the faults, one after the other.
func (r *run) breakAll(ctx context.Context) error {
	all := schedule(r.o.Seed, r.o.Kills, r.o.Suspect, r.o.Namespaces)
	if r.o.Short {
		all = one(all)
	}
	for i, f := range all {
		from := time.Now()
		r.note("fault %d of %d: %v", i+1, len(all), f)
		if err := r.c.play(ctx, f); err != nil {
			return err
		}
		r.spans[f.What] = append(r.spans[f.What], span{from, time.Now()})
	}
	return nil
}

// finish waits until all rows are in SQL and compares them.
func (r *run) finish(ctx context.Context) (*Report, error) {
	rep := r.report()
	err := r.await(ctx, r.o.Settle, "empty outboxes", func() (bool, error) {
		left := int64(0)
		rep.Refused = 0
		for _, w := range r.writers {
			rows, refused, err := w.waiting(ctx)
			if err != nil {
				return false, err
			}
			left += rows + int64(len(w.jobs))
			rep.Refused += int(refused)
		}
		return left == 0, nil
	})
	if err != nil {
		return rep, err
	}
	r.pauses(rep)
	for _, w := range r.writers {
		w.mu.Lock()
		rep.Errors, rep.Returns = errors.Join(rep.Errors, w.err), rep.Returns+w.rows
		w.mu.Unlock()
	}
	rep.Found, err = verify(ctx, r.c, r.h, r.jobs, &r.old)
	return rep, err
}

// await repeats a condition until it holds.
func (r *run) await(ctx context.Context, limit time.Duration, what string, ok func() (bool, error)) error {
	for end := time.Now().Add(limit); ; {
		done, err := ok()
		if done || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited %v for %s%s", limit, what, r.troubles())
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// troubles returns what the writers say about SQL.
func (r *run) troubles() (s string) {
	for _, w := range r.writers {
		st := w.drain.Stats()
		s += fmt.Sprintf("; writer %d: %v, last error %s", w.number+1, st.Errors, st.LastError)
	}
	return s
}

func (r *run) note(format string, args ...any) {
	fmt.Fprintf(r.o.Out, "%7.1fs %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}

func (r *run) close() error {
	var errs []error
	for _, w := range r.writers {
		errs = append(errs, w.close())
	}
	if r.c != nil {
		errs = append(errs, r.c.close())
	}
	return errors.Join(errs...)
}
