package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/returners"
)

// Batch runs a job on a few minions at a time, driven by the top. [batches.Core], the product's
// code, decides. A slice is another publication of the job, as in a job that grows.
type Batch struct {
	Size     int // how many minions run it at a time; 0: the job is not a batch
	Wait     time.Duration
	Failhard bool
	Stop     time.Duration // when an operator stops it, after the publication; 0: never
}

// driven is a batch that a top drives during one life.
type driven struct {
	core    batches.Core
	j       *job
	busy    bool // a slice is being published
	woken   bool // a step is due
	written int64
	lagging bool // a write is due
}

const (
	batchSoon  = 1e6           // delay from an event to the next step
	batchLook  = 15e9          // interval of steps without an event
	batchWrite = 1e9           // how far the state on disk may lag behind
	batchAgain = 1 * time.Hour // upper bound for waits of a batch
)

// publishBatch plays the command that starts a batch at the top. It retries until the top accepts
// the first slice.
func (w *World) publishBatch(j *job, r *run) {
	top := r.top
	if slices.Contains(top.pubs, j) {
		w.reach(markBatchUnstarted)
		return // the top died after it had stored the first slice: there are no others
	}
	again := func() { w.after(int64(time.Second), func() { w.publishBatch(j, r) }) }
	if !top.alive {
		again()
		return
	}
	var ids []string
	for m := range w.ids {
		if j.aimed(m) {
			ids = append(ids, w.ids[m])
		}
	}
	if len(ids) == 0 {
		ids = w.ids[:1] // a batch without minions is not started
	}
	st := batchstate.New(ids, j.Batch.Size, top.wall())
	st.JID, st.Failhard, st.BatchWait = j.jid, j.Batch.Failhard, j.Batch.Wait.Seconds()
	d := &driven{core: batches.Core{State: st}, j: j}
	clear(j.assigned)
	j.assign(w, d.core.Step(batchstate.Outcomes{}, top.wall()), 0)
	w.trace(nil, "starts %s at %s on %d minions, %d at a time", j.jid, top.id, len(ids), j.Batch.Size)
	r.published = time.Duration(w.now)
	answer := func() {}
	defer func() {
		if c := recover(); c != nil {
			answer()
			again()
			panic(c)
		}
	}()
	answer = w.unlessItDies(top, again)
	top.publish(j, func(taken bool) {
		answer()
		if r.answered = taken; !taken {
			again()
			return
		}
		w.reach(markBatch)
		top.drive(d)
		if j.Batch.Stop > 0 {
			w.after(int64(j.Batch.Stop), func() { w.stopBatch(j, top) })
		}
	})
	top.runEffects()
}

// assign records the slice that publishes the job to the minions.
func (j *job) assign(w *World, ids []string, slice int) {
	for _, id := range ids {
		j.assigned[w.index(id)] = slice
	}
}

// stopBatch plays an operator who stops a batch once its top is alive.
func (w *World) stopBatch(j *job, top *node) {
	d := top.batches[j.jid]
	switch {
	case top.onDisk[j.jid] == nil || top.onDisk[j.jid].Over():
	case !top.alive || d == nil || d.busy:
		w.after(int64(time.Second), func() { w.stopBatch(j, top) })
	default:
		w.reach(markBatchStopped)
		d.core.Halt("stop")
		top.stepSoon(d, 0)
	}
}

// drive stores the state of a batch and starts to step it.
func (n *node) drive(d *driven) {
	n.batches[d.j.jid] = d
	n.writeBatch(d)
	n.stepSoon(d, batchSoon)
	n.lookAtBatch(d)
}

// lookAtBatch steps a batch at intervals, without an event.
func (n *node) lookAtBatch(d *driven) {
	n.after(batchLook, func() {
		if n.batches[d.j.jid] == d {
			n.step(d)
			n.lookAtBatch(d)
		}
	})
}

// takeUpBatches resumes the batches of an earlier life.
func (n *node) takeUpBatches() {
	n.batches = map[string]*driven{}
	for _, jid := range sortedKeys(n.onDisk) {
		st, j := n.onDisk[jid], n.w.byJID[jid]
		if st.Over() {
			continue
		}
		n.w.reach(markBatchRestart)
		d := &driven{core: batches.Core{State: st.Clone()}, j: j}
		named := n.namedBy(j)
		lost := d.core.CatchUp(named, n.wall())
		n.drive(d)
		if len(lost) > 0 {
			d.busy = true
			n.after(batchSoon, func() { n.publishSlice(d, lost) })
		}
	}
}

// namedBy lists the minions that the stored job names, sorted. It forgets slices that were not
// stored before a crash.
func (n *node) namedBy(j *job) (ids []string) {
	parts := j.parts()
	for m := range n.w.ids {
		slice, some := j.assigned[m]
		if some && slices.Contains(n.pubs, parts[slice]) {
			ids = append(ids, n.w.ids[m])
			continue
		}
		delete(j.assigned, m)
	}
	return ids
}

// wakeBatch schedules a step of a batch after an event of its job.
func (n *node) wakeBatch(jid string) {
	if d := n.batches[jid]; d != nil {
		n.stepSoon(d, batchSoon)
	}
}

func (n *node) stepSoon(d *driven, in int64) {
	if d.woken && in > 0 {
		return
	}
	d.woken = true
	n.after(in, func() {
		d.woken = false
		n.step(d)
	})
}

// step advances a batch: it publishes the next slice, or ends the batch.
func (n *node) step(d *driven) {
	if d.busy || n.batches[d.j.jid] != d {
		return
	}
	begin := d.core.Step(n.batchLook(d), n.wall())
	st := d.core.State
	n.checkUnderWay(d)
	if len(begin) > 0 {
		if d.core.WriteFirst() {
			n.writeBatch(d)
		}
		n.publishSlice(d, begin)
		return
	}
	if st.Over() {
		n.w.trace(n, "ends batch %s: %d done, %d failed, %d pending", d.j.jid, len(st.Done), len(st.Failed), len(st.Pending))
		n.writeBatch(d)
		delete(n.batches, d.j.jid)
		return
	}
	n.writeSoon(d)
	if due, some := d.core.Due(n.wall()); some {
		n.stepSoon(d, max(batchSoon, int64(due)))
	}
}

func (n *node) batchLook(d *driven) batchstate.Outcomes {
	return d.core.Look(func() (map[string]jobevent.Absence, bool) {
		a, known := n.engine.State(d.j.jid)
		if !known {
			return nil, slices.Contains(n.engine.Open(), d.j.jid)
		}
		return a.Missing, a.Open()
	}, func(id string) (int, bool, error) {
		r, ok, err := n.disk.GetReturn(background, d.j.jid, id)
		return r.Retcode, ok, err
	})
}

// publishSlice publishes another slice of a batch.
func (n *node) publishSlice(d *driven, ids []string) {
	whole := d.j
	if whole.slices == nil {
		whole.slices = []*job{whole}
	}
	s := *whole
	s.whole, s.slice, s.slices = whole, len(whole.slices), nil
	kwargs := wire.NewMap(returners.PartField, s.slice)
	var err error
	s.load, err = wire.Encode(wire.NewMap("cmd", "publish", "tgt", "*", "fun", s.Fun, "arg", []any{}, "tgt_type", "glob", "jid", s.jid, "user", "root", "kwargs", kwargs))
	n.must(err)
	whole.slices = append(whole.slices, &s)
	whole.assign(n.w, ids, s.slice)
	d.busy = true
	n.w.trace(n, "starts batch slice of %d minions: %s: %v", len(ids), whole.jid, ids)
	n.publish(&s, func(taken bool) {
		d.busy = false
		if !taken {
			n.w.reach(markBatchRefused)
			for _, id := range ids {
				delete(whole.assigned, n.w.index(id))
			}
			d.core.NotPublished(ids, batches.ErrNotNow, n.wall())
		}
		n.writeSoon(d)
		n.stepSoon(d, batchSoon)
	})
	n.runEffects()
}

// writeSoon stores the state of a batch at most once a second.
func (n *node) writeSoon(d *driven) {
	if d.lagging {
		return
	}
	d.lagging = true
	n.after(max(0, d.written+batchWrite-n.w.now), func() {
		if d.lagging = false; n.batches[d.j.jid] == d {
			n.writeBatch(d)
		}
	})
}

func (n *node) writeBatch(d *driven) {
	d.written = n.w.now
	n.onDisk[d.j.jid] = d.core.State.Clone()
	d.core.Written()
}

// checkUnderWay checks that no more minions are active than the size of the batch allows, and
// that no pending minion runs the job.
func (n *node) checkUnderWay(d *driven) {
	st := d.core.State
	if len(st.Active)+len(st.Wait) > st.Size {
		n.w.broken("batch %s: %d active and %d waiting minions exceed size %d", d.j.jid, len(st.Active), len(st.Wait), st.Size)
	}
	for _, id := range st.Pending {
		if g := n.w.index(id); *n.w.minion(g).work(d.j) == working {
			n.w.broken("batch %s: pending minion %s runs the job", d.j.jid, id)
		}
	}
}

// checkBatch checks that a batch has ended and that each minion is in exactly one state.
func (w *World) checkBatch(j *job, fail func(string, ...any)) {
	top := j.runs[0].top
	st := top.onDisk[j.jid]
	if st == nil {
		if !slices.Contains(top.pubs, j) {
			fail("batch %s was never started", j.jid)
		}
		return
	}
	if !st.Over() {
		fail("batch %s never ended: %d active, %d pending", j.jid, len(st.Active), len(st.Pending))
		return
	}
	where := map[string]string{}
	put := func(id, what string) {
		if where[id] != "" {
			fail("batch %s: %s is %s and %s", j.jid, id, where[id], what)
		}
		where[id] = what
	}
	for _, id := range st.Pending {
		put(id, "pending")
	}
	for id := range st.Active {
		put(id, "active")
	}
	for id := range st.Failed {
		put(id, "failed")
	}
	struck := len(st.Failed) > 0
	for _, id := range sortedKeys(st.Done) {
		put(id, "done")
		r, ok, err := top.disk.GetReturn(background, j.jid, id)
		if err != nil || !ok || r.Retcode != st.Done[id] {
			fail("batch %s: %s is done with retcode %d, but its stored return has %d (%v, %v)", j.jid, id, st.Done[id], r.Retcode, ok, err)
		}
		struck = struck || st.Done[id] != 0
	}
	if len(where) != len(st.All) {
		fail("batch %s has %d minions, but accounts for %d", j.jid, len(st.All), len(where))
	}
	for id, what := range where {
		if !st.Halted && (what == "pending" || what == "active") {
			fail("batch %s has ended, but %s is %s", j.jid, id, what)
		}
		if what == "pending" && j.hasRun(w.index(id)) {
			fail("batch %s: pending minion %s has run the job", j.jid, id)
		}
	}
	switch {
	case st.Failhard && struck && len(st.Pending) > 0 && !st.Halted:
		fail("batch %s continues after a failure in spite of failhard", j.jid)
	case st.Halted && !(st.Failhard && struck) && j.Batch.Stop == 0:
		fail("batch %s was halted without a cause: %s", j.jid, st.Reason)
	}
}

// drawBatches makes batches of some jobs. It draws from a stream of its own: the rest of a schedule stays the same.
func (o *Options) drawBatches() {
	r := o.stream(0x6261746368)
	for i := range o.Jobs {
		b := Batch{
			Size: 1 + r.IntN(4), Wait: time.Duration(pick(r, 0, 0, 0.5, 5) * float64(time.Second)), Failhard: r.IntN(4) == 0,
			Stop: time.Duration(pick(r, 0, 0, 0, 0.5, 4) * float64(time.Second)),
		}
		if j := &o.Jobs[i]; j.Queue == 0 && r.IntN(3) > 0 {
			j.Batch, j.Slices, j.Every, j.Twice = b, 0, 0, 0
		}
	}
}

// RandomBatches is [RandomOptions] with batches among the jobs.
func RandomBatches(seed, salt uint64) Options {
	o := RandomOptions(seed, salt)
	o.drawBatches()
	return o
}

func (b Batch) validate(j Job) error {
	if b.Size < 0 || b.Wait < 0 || b.Stop < 0 || b.Wait > batchAgain {
		return fmt.Errorf("batch size must not be negative, and its waits must be from 0 to %s", batchAgain)
	}
	if b.Size > 0 && (j.Slices > 1 || j.Queue > 0 || j.Twice > 0) {
		return fmt.Errorf("a batch cannot have slices, a queue deadline or a second top")
	}
	return nil
}
