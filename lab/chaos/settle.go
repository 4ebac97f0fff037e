//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/timing"
)

// await polls until a condition holds, at most for Options.Settle. It returns the last error of the
// condition.
func (w *World) await(ctx context.Context, what string, holds func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, w.o.Settle)
	defer cancel()
	last := ""
	for {
		err := holds(ctx)
		if err == nil {
			return nil
		}
		if err.Error() != last {
			last = err.Error()
			w.note("waiting: %s", last)
		}
		if timing.Sleep(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("%s: not within %v: %w", what, w.o.Settle, err)
		}
	}
}

// whole returns nil if all processes run and both tops see everyone up.
func (w *World) whole(ctx context.Context) error {
	for _, r := range shape {
		m := w.members[r.id]
		m.mu.Lock()
		up := m.proc != nil && m.proc.running()
		m.mu.Unlock()
		if !up {
			return fmt.Errorf("%s is not running", r.id)
		}
	}
	for _, id := range tops() {
		if err := w.tops[id].whole(ctx); err != nil {
			return err
		}
	}
	return nil
}

// closed returns nil if none of the jobs is open at any node.
func (w *World) closed(ctx context.Context, jobs []*job) error {
	for _, id := range nodes() {
		open, err := w.members[id].open(ctx)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if open[j.jid] {
				return fmt.Errorf("job %s is still open at %s", j.jid, id)
			}
		}
	}
	return nil
}

// handedOn returns nil if no node has rows pending, for a parent or the database.
func (w *World) handedOn(ctx context.Context) error {
	for _, id := range nodes() {
		pending, err := w.members[id].pending(ctx)
		if err != nil {
			return fmt.Errorf("look into the outbox of %s: %w", id, err)
		}
		if pending != "" {
			return fmt.Errorf("%s still has pending %s", id, pending)
		}
	}
	return nil
}

// stored returns nil if each run has its row in the database and in the job store of the top that
// published the job. A row at the other top alone is not enough.
func (w *World) stored(ctx context.Context, jobs []*job) error {
	ran, err := w.ran()
	if err != nil {
		return err
	}
	b, err := w.read(ctx, jobs)
	if err != nil {
		return err
	}
	if b.differs != "" {
		return errors.New(b.differs)
	}
	own := map[string]map[string]map[string]bool{} // top → jid → minions
	for _, top := range tops() {
		if own[top], err = w.members[top].returns(ctx); err != nil {
			return fmt.Errorf("look into the job store of %s: %w", top, err)
		}
	}
	for _, j := range jobs {
		if j.jid == "" {
			continue
		}
		for id := range ran[j.mark] {
			if _, there := b.rows[j.jid][id]; !there {
				return fmt.Errorf("%s ran job %s, but SQL has no row", id, j.jid)
			}
			if j.accepted() && !own[j.Top][j.jid][id] {
				return fmt.Errorf("%s ran job %s, but %s, which published it, has no row of its own", id, j.jid, j.Top)
			}
		}
	}
	return nil
}

// settled returns the condition that the tree must reach without help after all faults have ended.
func (w *World) settled(jobs []*job) func(context.Context) error {
	return func(ctx context.Context) error {
		// Files first: the questions below are jobs themselves, whose rows are pending for a moment.
		if err := w.closed(ctx, jobs); err != nil {
			return err
		}
		if err := w.handedOn(ctx); err != nil {
			return err
		}
		if err := w.whole(ctx); err != nil {
			return err
		}
		if err := w.sql.whole(ctx); err != nil {
			return err
		}
		if err := w.batchesOver(ctx, jobs); err != nil {
			return err
		}
		return w.stored(ctx, jobs)
	}
}

// probe runs a job at a top until every minion has answered one, as a connection may still be coming
// back. It returns all jobs it ran.
func (w *World) probe(ctx context.Context, top string) (jobs []*job, err error) {
	gen := jid.NewGenerator(time.Now, os.Getpid())
	err = w.await(ctx, top+" reaches every minion", func(ctx context.Context) error {
		j := &job{Task: Task{Top: top, Tgt: "*", Type: "glob", Who: minions()}, jid: gen.Next()}
		jobs = append(jobs, j)
		if w.publish(ctx, j); j.err != nil {
			return j.err
		}
		return w.answered(ctx, j)
	})
	return jobs, err
}

// probes runs such a job at each top in turn.
func (w *World) probes(ctx context.Context) (jobs []*job, err error) {
	for _, id := range tops() {
		more, err := w.probe(ctx, id)
		if jobs = append(jobs, more...); err != nil {
			return jobs, err
		}
	}
	return jobs, nil
}

// answered waits until a job is closed at its top and returns an error unless all minions have
// returned.
func (w *World) answered(ctx context.Context, j *job) error {
	err := w.await(ctx, "job "+j.jid+" ends", func(ctx context.Context) error {
		open, err := w.members[j.Top].open(ctx)
		if err != nil || !open[j.jid] {
			return err
		}
		return fmt.Errorf("it is open at %s", j.Top)
	})
	if err != nil {
		return err
	}
	// A job closed at the top may not be in the database yet.
	var lacking error
	err = w.await(ctx, "job "+j.jid+" is stored", func(ctx context.Context) error {
		b, err := w.read(ctx, []*job{j})
		if err != nil {
			return err
		}
		lacking = nil
		for _, id := range j.Who {
			if _, there := b.rows[j.jid][id]; there {
				continue
			}
			why := b.expected[j.jid][id]
			if why == "" {
				return fmt.Errorf("no row of %s", id)
			}
			lacking = fmt.Errorf("job %s ended without %s: %s", j.jid, id, why)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return lacking
}
