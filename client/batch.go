package client

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
)

// Batch says how a job is run on a few minions at a time.
type Batch struct {
	// Size is how many work at once: a number of minions, or a percentage of them (25%).
	Size string
	// Wait is how long the slot of a minion that is done stays taken.
	Wait time.Duration
	// FailHard starts no more after the first minion that fails or does not return.
	FailHard bool
}

// Validate tells whether the size can be meant.
func (o Batch) Validate() error {
	_, err := o.Slots(1)
	return err
}

// Slots is how many of so many minions work at once, at least 1.
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

// BatchUpdate is one thing that happens while a job runs in batches. Either Begins is set,
// or Started, or Ended, or one field of Update.
type BatchUpdate struct {
	// Begins are the minions that the next round is about to be published for.
	Begins []string
	// Started is the job id of that round. All rounds have one job id, where the master tells
	// of the job (see [Published]): each extends the job to its minions.
	Started string
	// Update is news of the round with the job id JID.
	Update
	JID string
	// Stopped is, beside an Update, the minion for which FailHard has stopped the run.
	Stopped string
	// Ended is the end of all rounds: of the minions that were asked who they are, how many
	// have Returned or Failed in a round, and who is Missing of that question or of a round.
	Ended *Account
}

// Batching is a job that is run in batches. Each minion that is done makes room for the
// next.
type Batching struct {
	// Asked is how the question ended to which minions answer that are there.
	Asked Outcome

	by      Follower
	job     Job
	o       Batch
	ctx     context.Context // of the followers
	cancel  context.CancelFunc
	work    sync.WaitGroup
	heard   chan batchNews
	size    int
	queue   []string
	begun   []string        // told as beginning, to be published next
	taken   int             // slots that are not free
	done    map[string]bool // minions that have answered or will not
	counted map[string]bool // minions that have returned in a round
	open    int             // rounds that are followed
	jid     string          // of all rounds; "": each has its own
	sent    int             // minions for whom rounds were published
	stopped bool            // FailHard has struck
	total   Account
}

// batchNews is news of a round, or a slot that becomes free.
type batchNews struct {
	jid   string
	ids   []string
	u     Update
	err   error
	freed bool
}

// Batch asks which of the minions that a job means are there, and makes ready to run it on
// them. Errors are those of [Client.Run], and that of a size that cannot be meant. The
// caller closes the Batching.
func (c *Client) Batch(ctx context.Context, j Job, o Batch) (*Batching, error) {
	return BatchBy(ctx, c, j, o)
}

// BatchBy is [Client.Batch] by whatever starts jobs.
func BatchBy(ctx context.Context, by Follower, j Job, o Batch) (*Batching, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	asked, err := RunBy(ctx, by, j.question("test.ping"))
	if err != nil {
		return nil, err
	}
	b := &Batching{
		Asked: asked, by: by, job: j, o: o, heard: make(chan batchNews), queue: slices.Sorted(maps.Keys(asked.Returns)), done: map[string]bool{}, counted: map[string]bool{},
		total: Account{JID: asked.JID, Expected: asked.Account.Expected, Missing: maps.Clone(asked.Account.Missing), Nodes: asked.Account.Nodes},
	}
	b.size, err = o.Slots(len(b.queue))
	b.ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b, err
}

// Close ends the listening. What was published goes on, and nothing more is.
func (b *Batching) Close() error {
	b.cancel()
	b.work.Wait()
	return nil
}

// Next publishes what there is room for and waits for what happens; the update with Ended is
// the last. After an error, which is one of [Client.Follow] or [Following.Next], the rounds
// cannot go on; that of ctx aside. It is not for several goroutines at once.
func (b *Batching) Next(ctx context.Context) (BatchUpdate, error) {
	for {
		if ids := b.begun; ids != nil {
			b.begun = nil
			return b.start(ctx, ids)
		}
		if n := min(b.size-b.taken, len(b.queue)); n > 0 && !b.stopped {
			b.begun, b.queue = b.queue[:n], b.queue[n:]
			return BatchUpdate{Begins: slices.Clone(b.begun)}, nil
		}
		if b.open == 0 && (b.stopped || len(b.queue) == 0) {
			return BatchUpdate{Ended: &b.total}, nil
		}
		select {
		case n := <-b.heard:
			if n.freed {
				b.taken--
				continue
			}
			return b.hear(n)
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
	if b.jid != "" {
		j.JID = b.jid
	}
	f, err := b.by.Follow(ctx, j)
	if err != nil {
		return BatchUpdate{Started: f.JID}, err
	}
	if f.Tells {
		b.jid = f.JID
	}
	r := round{ids: ids}
	if j.JID != "" {
		r.before = b.sent
	}
	b.sent += len(ids)
	b.taken += len(ids)
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
			case b.heard <- batchNews{jid: f.JID, ids: ids, u: u, err: err}:
			case <-b.ctx.Done():
				return
			}
		}
	})
	return BatchUpdate{Started: f.JID}, nil
}

// round is one publication of a job that has several.
type round struct {
	ids    []string // sorted
	before int      // minions of earlier rounds
}

func (r *round) has(id string) bool {
	_, found := slices.BinarySearch(r.ids, id)
	return found
}

// concerns tells whether an update is about the round, and leaves of it what is: the events of the
// job are about all rounds. The end of the job is the end of the round unless it came before it.
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

// hear counts what has happened in a round.
func (b *Batching) hear(n batchNews) (BatchUpdate, error) {
	out := BatchUpdate{JID: n.jid, Update: n.u}
	if n.err != nil {
		return out, n.err
	}
	switch u := n.u; {
	case u.Return != nil:
		if u.Return.Retcode != 0 {
			out.Stopped = b.failed(u.Return.ID)
		}
		b.count(u.Return)
		b.finish(u.Return.ID)
	case u.Missing != nil:
		for _, id := range slices.Sorted(maps.Keys(u.Missing)) {
			if id := b.failed(id); id != "" {
				out.Stopped = id
			}
			b.finish(id)
		}
	case u.Complete != nil:
		b.open--
		for _, id := range n.ids {
			b.finish(id)
		}
		for id, why := range u.Complete.Missing {
			if !b.counted[id] {
				b.total.Missing[id] = why
			}
		}
	}
	return out, nil
}

// count enters a return into the account of all rounds.
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

// failed stops the run with FailHard; it gives the minion if it is the one that does.
func (b *Batching) failed(id string) string {
	if !b.o.FailHard || b.stopped {
		return ""
	}
	b.stopped = true
	return id
}

// finish frees the slot of a minion, after Wait.
func (b *Batching) finish(id string) {
	if b.done[id] {
		return
	}
	b.done[id] = true
	if b.o.Wait <= 0 || len(b.queue) == 0 {
		b.taken--
		return
	}
	b.work.Go(func() {
		t := time.NewTimer(b.o.Wait)
		defer t.Stop()
		select {
		case <-t.C:
			select {
			case b.heard <- batchNews{freed: true}:
			case <-b.ctx.Done():
			}
		case <-b.ctx.Done():
		}
	})
}
