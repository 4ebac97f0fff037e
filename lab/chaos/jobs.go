//go:build linux

package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/timing"
)

// job is a published task. Its id is ours, so it is known although the answer
// to the publication may get lost with the master.
type job struct {
	Task
	mark string    // what a minion that runs it leaves
	jid  string    // of a batch: the master's, "" if its answer was lost
	at   time.Time // when it was handed to the top
	err  error     // nil: the top has accepted it
}

func (j *job) accepted() bool { return j.err == nil }

// stream publishes the tasks of a schedule at their times and waits for all
// answers; started waits until the batches among them are started, or driven by their commands.
func (w *World) stream(ctx context.Context, tasks []Task) (_ []*job, started func()) {
	var wg, batches sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	gen := jid.NewGenerator(time.Now, os.Getpid())
	jobs := make([]*job, len(tasks))
	began := time.Now()
	for i, t := range tasks {
		_ = timing.Sleep(ctx, t.At-time.Since(began))
		id := gen.Next()
		if jobs[i] = (&job{Task: t, mark: id}); t.Batch != "" {
			batches.Go(func() { w.batch(ctx, jobs[i]) })
			continue
		}
		jobs[i].jid = id
		wg.Go(func() { w.publish(ctx, jobs[i]) })
	}
	wg.Wait()
	return jobs, func() {
		defer cancel()
		time.AfterFunc(commandPatience, cancel)
		batches.Wait()
	}
}

// commandPatience is how long after the end of faults the command of a batch may go on.
const commandPatience = 20 * time.Second

// publish hands a job to its top. A minion that runs it leaves the job's id in
// its file "ran" before anything else.
func (w *World) publish(ctx context.Context, j *job) {
	if j.mark == "" {
		j.mark = j.jid
	}
	line := fmt.Sprintf(`echo %s >> "$%s"; sleep %.1f`, j.jid, envRan, j.Sleep.Seconds())
	j.at = time.Now()
	_, j.err = w.tops[j.Top].client.Publish(ctx, client.Job{
		Tgt: j.Tgt, TgtType: j.Type, Fun: []string{"cmd.run"}, Args: []any{line}, JID: j.jid,
	})
	if j.err != nil {
		w.note("job %s to %s was not accepted: %v", j.jid, j.Top, j.err)
	}
}

// ran counts how often each minion has run each job.
func (w *World) ran() (map[string]map[string]int, error) {
	out := map[string]map[string]int{}
	for _, id := range minions() {
		f, err := os.Open(filepath.Join(w.members[id].dir, "ran"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if out[sc.Text()] == nil {
				out[sc.Text()] = map[string]int{}
			}
			out[sc.Text()][id]++
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
