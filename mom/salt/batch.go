package salt

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/mom/report"
)

// batchSize reads --batch: a number of minions or a percentage of them.
func batchSize(text string, minions int) (int, error) {
	number := strings.Trim(text, "%")
	n, err := strconv.ParseFloat(number, 64)
	percent := number != text
	if err != nil || !(n > 0) || math.IsInf(n, 0) || (!percent && n != math.Trunc(n)) {
		return 0, &options.Error{Text: fmt.Sprintf("Invalid batch data sent: %s\nData must be in the form of %%10, 10%% or 3", text)}
	}
	if percent {
		n = n / 100 * float64(minions)
	}
	return max(1, int(min(n, float64(minions)))), nil
}

// batch runs a job on a few minions at a time: each one that is done makes room
// for the next. Each round is a job of its own.
type batch struct {
	*call
	rep     *report.Report
	size    int
	queue   []string
	taken   int             // slots that are not free
	done    map[string]bool // minions that have answered or will not
	open    int             // jobs that are followed
	stopped bool            // --failhard has struck
	worst   int             // the highest return code
	account client.Account
	heard   chan batchEvent
}

// batchEvent is news of one of the jobs, or a slot that becomes free.
type batchEvent struct {
	jid   string
	ids   []string
	u     client.Update
	err   error
	freed bool
}

func (r *call) batch(ctx context.Context) error {
	rep := r.report()
	s, err := r.ask(ctx, "test.ping")
	if err != nil {
		return r.refused(ctx, err, "")
	}
	b := &batch{call: r, rep: rep, queue: slices.Sorted(maps.Keys(s.returned)), done: map[string]bool{}, heard: make(chan batchEvent), account: *s.account}
	rep.Job(s.account.JID)
	b.account.Missing = maps.Clone(s.account.Missing)
	if b.size, err = batchSize(r.f.batch, len(b.queue)); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(s.account.Missing)) {
		if r.f.static || r.f.hideTimeout {
			break
		}
		rep.Note("Minion %s did not respond. No job will be sent.\n", id)
	}
	jid, err := b.run(ctx)
	if err != nil {
		return r.refused(ctx, err, jid)
	}
	code, err := rep.Close(&b.account)
	if code == report.Failed && b.worst > 0 {
		code = b.worst & 0xff // the return code itself, as Salt's batch mode has it
	}
	return verdict(code, err)
}

// run works the queue off. With an error it gives the job that was heard of last.
func (b *batch) run(ctx context.Context) (jid string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for {
		if n := min(b.size-b.taken, len(b.queue)); n > 0 && !b.stopped {
			if jid, err = b.start(ctx, &wg, b.queue[:n]); err != nil {
				return jid, err
			}
			b.queue = b.queue[n:]
		}
		if b.open == 0 && (b.stopped || len(b.queue) == 0) {
			return jid, nil
		}
		select {
		case e := <-b.heard:
			if e.freed {
				b.taken--
				continue
			}
			if err := b.hear(ctx, &wg, e); err != nil {
				return e.jid, err
			}
		case <-ctx.Done():
			return jid, ctx.Err()
		}
	}
}

// start publishes the job to the next minions and follows it.
func (b *batch) start(ctx context.Context, wg *sync.WaitGroup, ids []string) (string, error) {
	if !b.f.static {
		b.rep.Note("\nExecuting run on ['%s']\n\n", strings.Join(ids, "', '"))
	}
	j := b.job
	j.Tgt, j.TgtType, j.Kwargs = ids, "list", b.job.Kwargs.Clone()
	j.Kwargs.Delete("delimiter")
	f, err := b.client.Follow(ctx, j)
	if err != nil {
		return f.JID, err
	}
	b.rep.Started(f.JID)
	b.taken += len(ids)
	b.open++
	wg.Go(func() {
		for {
			u, err := f.Next(ctx)
			select {
			case b.heard <- batchEvent{jid: f.JID, ids: ids, u: u, err: err}:
			case <-ctx.Done():
				err = ctx.Err()
			}
			if err != nil || u.Complete != nil {
				_ = f.Close() // read only
				return
			}
		}
	})
	return f.JID, nil
}

func (b *batch) hear(ctx context.Context, wg *sync.WaitGroup, e batchEvent) error {
	if e.err != nil {
		return e.err
	}
	b.rep.Job(e.jid)
	switch u := e.u; {
	case u.Return != nil:
		b.worst = max(b.worst, u.Return.Retcode)
		if u.Return.Retcode != 0 {
			b.failHard(u.Return.ID, "returned with non-zero exit code")
		}
		b.finish(ctx, wg, u.Return.ID)
	case u.Missing != nil:
		for _, id := range slices.Sorted(maps.Keys(u.Missing)) {
			b.failHard(id, "did not return")
			b.finish(ctx, wg, id)
		}
	case u.Complete != nil:
		b.open--
		for _, id := range e.ids {
			b.finish(ctx, wg, id)
		}
		maps.Copy(b.account.Missing, u.Complete.Missing)
		return b.fetch(ctx, e.jid, b.rep)
	}
	return b.rep.Update(e.u)
}

func (b *batch) failHard(id, how string) {
	if b.f.failhard && !b.stopped {
		b.stopped = true
		b.log.Error("Minion " + id + " " + how + ". Batch run stopped due to failhard")
	}
}

// finish frees the slot of a minion, after --batch-wait.
func (b *batch) finish(ctx context.Context, wg *sync.WaitGroup, id string) {
	if b.done[id] {
		return
	}
	b.done[id] = true
	if b.f.batchWait <= 0 || len(b.queue) == 0 {
		b.taken--
		return
	}
	wg.Go(func() {
		t := time.NewTimer(time.Duration(b.f.batchWait * float64(time.Second)))
		defer t.Stop()
		select {
		case <-t.C:
			select {
			case b.heard <- batchEvent{freed: true}:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	})
}

// consistent refuses options that mean nothing together.
func (f *flags) consistent() error {
	switch {
	case f.batch == "" && (f.failhard || f.batchWait > 0):
		return &options.Error{Text: "--failhard and --batch-wait are for batch mode; give --batch as well"}
	case f.batch != "" && f.async:
		return &options.Error{Text: "--batch and --async exclude each other: this command itself starts each round"}
	case f.batch != "" && f.queue > 0:
		return &options.Error{Text: "--batch and --queue exclude each other: a round ends when all have answered"}
	case f.batch != "" && f.doc:
		return &options.Error{Text: "--batch and --doc exclude each other"}
	case f.subset < 0 || f.batchWait < 0 || math.IsNaN(f.batchWait) || f.batchWait > 1e6:
		return &options.Error{Text: "--subset and --batch-wait take numbers from 0 on (seconds up to 1000000)"}
	}
	if f.batch == "" {
		return nil
	}
	_, err := batchSize(f.batch, 1)
	return err
}
