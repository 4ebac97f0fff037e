package client

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/batchstate"
)

// Batch configures a job that runs on a few minions at a time.
type Batch struct {
	// Size is the number of minions that work at once, or a percentage of the targeted
	// minions such as "25%".
	Size string
	// Wait keeps a slot reserved for this long after its minion is done.
	Wait time.Duration
	// FailHard stops starting minions after the first one that fails or does not return.
	FailHard bool
}

// Validate returns an error if Size is invalid.
func (o Batch) Validate() error {
	_, err := o.Slots(1)
	return err
}

// Slots returns how many of the given number of minions work at once, at least 1.
func (o Batch) Slots(minions int) (int, error) {
	number := strings.Trim(o.Size, "%")
	n, err := strconv.ParseFloat(number, 64)
	percent := number != o.Size
	if err != nil || !(n > 0) || math.IsInf(n, 0) || (!percent && n != math.Trunc(n)) {
		return 0, fmt.Errorf("Invalid batch data sent: %s\nData must be in the form of %%10, 10%% or 3", o.Size)
	}
	if percent {
		n = n / 100 * float64(minions)
	}
	return max(1, int(min(n, float64(minions)))), nil
}

// BatchUpdate is an event of a batch run. Exactly one of Begins, Started, Halted, Ended and the
// fields of Update is set.
type BatchUpdate struct {
	// Begins lists the minions of the next round, which is about to be published.
	Begins []string
	// Started is the job id of that round. All rounds share one job id, except by Salt's API: each
	// round extends the job.
	Started string
	// Update is an update of the round with the job id JID.
	Update
	JID string
	// Stopped is set beside an Update: the minion whose failure stopped the run (FailHard).
	Stopped string
	// Halted is why no further minion starts: somebody stopped the run (salt-run batch.stop).
	Halted string
	// Ended is the account of all rounds. Minions that did not answer the initial test.ping
	// are in Missing too.
	Ended *Account
}

// Batching is a job that runs in batches. Each minion that is done frees a slot for the next.
// The master shows a run of up to 5000 minions in salt-run batch.list_active and batch.status,
// and batch.stop stops it, if the master is on this machine.
type Batching struct {
	// Asked is the outcome of the initial test.ping, which finds the minions that are up.
	Asked Outcome

	by      Follower
	job     Job
	ctx     context.Context // of the goroutines that follow rounds
	cancel  context.CancelFunc
	work    sync.WaitGroup
	events  chan batchEvent
	state   *batchstate.State
	report  batchReport
	ready   []string        // in Active, not reported in Begins yet
	begun   []string        // reported in Begins, published by the next call
	counted map[string]bool // minions that have returned in a round
	open    int             // rounds still followed
	sent    int             // minions published to so far
	total   Account
}

// batchEvent is an update of a round.
type batchEvent struct {
	jid string
	ids []string
	u   Update
	err error
}

// Batch runs test.ping on the target of j and prepares to run j on the minions that answer.
// It returns the errors of [Client.Run], and an error for an invalid size. The caller closes
// the Batching.
func (c *Client) Batch(ctx context.Context, j Job, o Batch) (*Batching, error) {
	return BatchBy(ctx, c, j, o)
}

// BatchBy is [Client.Batch] on any Follower.
func BatchBy(ctx context.Context, by Follower, j Job, o Batch) (*Batching, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	asked, err := RunBy(ctx, by, j.question("test.ping"))
	if err != nil {
		return nil, err
	}
	b := &Batching{
		Asked: asked, by: by, job: j, events: make(chan batchEvent), counted: map[string]bool{},
		total: Account{JID: asked.JID, Expected: asked.Account.Expected, Missing: maps.Clone(asked.Account.Missing), Nodes: asked.Account.Nodes},
	}
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	ids := slices.Sorted(maps.Keys(asked.Returns))
	size, err := o.Slots(len(ids))
	if err != nil {
		return b, err
	}
	if b.state, err = newBatchState(j, o, ids, size); err != nil {
		return b, err
	}
	if c, ok := by.(*Client); ok {
		b.report.by = c
		c.describe(b.state, &j)
	}
	b.ready = b.state.Progress(batchstate.Outcomes{}, time.Now())
	return b, nil
}

// Close stops following. Published rounds go on; no more are published.
func (b *Batching) Close() error {
	b.cancel()
	b.work.Wait()
	if b.state == nil {
		return nil
	}
	if !b.state.Over() {
		b.state.Halt("the command has ended")
	}
	b.report.end(b.state)
	return nil
}

// Next publishes the next round if there are free slots and waits for an update; the one with
// Ended is the last. After an error of [Client.Follow] or [Following.Next] the run cannot
// continue; after an error of ctx it can. Next is not safe for concurrent use.
func (b *Batching) Next(ctx context.Context) (BatchUpdate, error) {
	for {
		if ids := b.begun; ids != nil {
			b.begun = nil
			return b.start(ctx, ids)
		}
		if ids := b.ready; len(ids) > 0 {
			b.begun, b.ready = ids, nil
			return BatchUpdate{Begins: slices.Clone(ids)}, nil
		}
		if b.open == 0 && (b.state.Halted || len(b.state.Pending) == 0) {
			b.report.end(b.state)
			return BatchUpdate{Ended: &b.total}, nil
		}
		var slot <-chan time.Time // a slot becomes free
		if wait, ok := b.state.Waits(time.Now()); ok {
			slot = time.After(wait)
		}
		select {
		case n := <-b.events:
			return b.handle(n)
		case <-slot:
			b.advance(batchstate.Outcomes{})
		case <-b.report.due:
			b.report.send(b.state)
		case reason := <-b.report.halts:
			if !b.state.Halted {
				b.state.Halt(reason)
				b.report.changed(b.state)
				return BatchUpdate{Halted: reason}, nil
			}
		case <-ctx.Done():
			return BatchUpdate{}, ctx.Err()
		case <-b.ctx.Done():
			return BatchUpdate{}, ErrClosed
		}
	}
}

// start publishes the job to the next minions and follows it.
func (b *Batching) start(ctx context.Context, ids []string) (BatchUpdate, error) {
	j := b.job.on(ids)
	if b.state.JID != "" {
		j.JID = b.state.JID
	}
	f, err := b.by.Follow(ctx, j)
	if err != nil {
		return BatchUpdate{Started: f.JID}, err
	}
	_, judged := f.from.(*unreported)
	if f.ReportsEnd || judged {
		b.state.JID = f.JID
	}
	r := round{ids: ids}
	if j.JID != "" && f.ReportsEnd {
		r.before = b.sent
	}
	b.sent += len(ids)
	b.open++
	b.work.Go(func() {
		defer f.Close()
		for over := false; !over; {
			u, err := f.Next(b.ctx)
			if err == nil && !r.concerns(&u) {
				continue
			}
			over = err != nil || u.Complete != nil
			select {
			case b.events <- batchEvent{jid: f.JID, ids: ids, u: u, err: err}:
			case <-b.ctx.Done():
				return
			}
		}
	})
	b.report.begin(ctx, b)
	return BatchUpdate{Started: f.JID}, nil
}

// round is one publication of a job that has several rounds.
type round struct {
	ids    []string // sorted
	before int      // minions of earlier rounds
}

func (r *round) has(id string) bool {
	_, found := slices.BinarySearch(r.ids, id)
	return found
}

// concerns reports whether an update belongs to the round, and reduces it to the minions of the
// round: the events of a job cover all its rounds. The end of the job ends the round, unless it
// dates from before the round. An end that the client judged is one of the round.
func (r *round) concerns(u *Update) bool {
	switch {
	case u.Return != nil:
		return r.has(u.Return.ID)
	case u.Missing != nil:
		u.Missing = r.missing(u.Missing)
		return len(u.Missing) > 0
	case u.Complete != nil:
		if u.Complete.Expected <= r.before {
			return false
		}
		a := *u.Complete
		a.Missing = r.missing(a.Missing)
		u.Complete = &a
	}
	return true
}

func (r *round) missing(all map[string]Missing) map[string]Missing {
	some := maps.Clone(all)
	maps.DeleteFunc(some, func(id string, _ Missing) bool { return !r.has(id) })
	return some
}

// handle counts an update of a round.
func (b *Batching) handle(n batchEvent) (BatchUpdate, error) {
	out := BatchUpdate{JID: n.jid, Update: n.u}
	if n.err != nil {
		return out, n.err
	}
	outcome := batchstate.Outcomes{Returned: map[string]int{}, Gone: map[string]string{}}
	switch u := n.u; {
	case u.Return != nil:
		b.count(u.Return)
		outcome.Returned[u.Return.ID] = u.Return.Retcode
		out.Stopped = u.Return.ID
	case u.Missing != nil:
		for _, id := range slices.Sorted(maps.Keys(u.Missing)) {
			outcome.Gone[id] = batchstate.ReasonTimeout
			out.Stopped = cmp.Or(out.Stopped, id)
		}
	case u.Complete != nil:
		b.open--
		for _, id := range n.ids {
			if _, runs := b.state.Active[id]; runs {
				outcome.Gone[id] = batchstate.ReasonTimeout
				out.Stopped = cmp.Or(out.Stopped, id)
			}
		}
		for id, why := range u.Complete.Missing {
			if !b.counted[id] {
				b.total.Missing[id] = why
			}
		}
	}
	before := b.state.Halted
	if !outcome.Empty() {
		b.advance(outcome)
	}
	if before || !b.state.Halted {
		out.Stopped = ""
	}
	return out, nil
}

// advance applies outcomes and starts the next minions.
func (b *Batching) advance(n batchstate.Outcomes) {
	b.ready = append(b.ready, b.state.Progress(n, time.Now())...)
	if len(b.ready) > 0 || !n.Empty() {
		b.report.changed(b.state)
	}
}

// count adds a return to the account of all rounds.
func (b *Batching) count(r *Return) {
	if b.counted[r.ID] {
		return
	}
	b.counted[r.ID] = true
	delete(b.total.Missing, r.ID)
	if r.Success && r.Retcode == 0 {
		b.total.Returned++
	} else {
		b.total.Failed++
	}
}
