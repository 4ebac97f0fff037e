package client

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/wire"
)

const (
	// maxBatchReported is up to how many minions a batch is reported: each report names all.
	maxBatchReported = 5000
	// batchReportEvery is the shortest time between two reports.
	batchReportEvery = time.Second
	// batchReportLimit bounds the wait for the bus.
	batchReportLimit = 2 * time.Second
)

// newBatchState returns the state of a batch that a command drives. It lacks the arguments, which may be secret: nobody
// else publishes the job.
func newBatchState(j Job, o Batch, ids []string, size int) (*batchstate.State, error) {
	load, err := j.load()
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	st := batchstate.New(ids, size, time.Now())
	st.Driver, st.Tgt, st.TgtType, st.Ret = batchstate.DriverCLI, j.Tgt, load.String("tgt_type"), j.Ret
	st.Failhard, st.BatchWait = o.FailHard, o.Wait.Seconds()
	fun, _ := load.Get("fun")
	if st.Fun, err = wire.Encode(fun); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	st.Arg, _ = wire.Encode([]any{})          // never fails
	st.Kwargs, _ = wire.Encode(wire.NewMap()) // never fails
	return st, nil
}

// describe enters who runs a batch, and how long its minions are waited for.
func (c *Client) describe(st *batchstate.State, j *Job) {
	w := c.waits(j)
	st.User, st.Timeout, st.Gather = c.o.User, w.timeout.Seconds(), w.answers.Seconds()
	if c.login != nil && c.login.Username != "" {
		st.User = c.login.Username
	}
}

// batchReport reports a batch on the bus of the master, by the events of Salt 3008's command, and
// receives that it was halted. A batch runs without it if the bus fails.
type batchReport struct {
	by    *Client // nil: not reported
	sub   *Subscription
	halts chan string      // reasons
	due   <-chan time.Time // of the next report; nil: nothing to report
	last  time.Time
}

// begin reports a batch whose first round was published.
func (r *batchReport) begin(ctx context.Context, b *Batching) {
	switch {
	case r.by == nil || r.sub != nil:
		return
	case b.state.JID == "" || len(b.state.All) > maxBatchReported:
		r.by = nil
		return
	}
	ctx, cancel := context.WithTimeout(ctx, batchReportLimit)
	defer cancel()
	sub, err := r.by.Subscribe(ctx, batchstate.TagPrefix+b.state.JID+"/"+batchstate.ActionHalted)
	if err != nil {
		r.failed(b.state, err)
		return
	}
	r.sub, r.halts = sub, make(chan string)
	b.work.Go(func() {
		for {
			e, err := sub.Next(b.ctx)
			if err != nil {
				return
			}
			reason := batchstate.ReasonStop
			if d, err := e.Data.Map(); err == nil && d.String("reason") != "" {
				reason = d.String("reason")
			}
			select {
			case r.halts <- reason:
			case <-b.ctx.Done():
				return
			}
		}
	})
	r.post(b.state, batchstate.ActionNew)
}

// changed has the state reported, at once or when the last report is old enough.
func (r *batchReport) changed(st *batchstate.State) {
	switch wait := batchReportEvery - time.Since(r.last); {
	case r.sub == nil || r.due != nil:
	case wait > 0:
		r.due = time.After(wait)
	default:
		r.send(st)
	}
}

func (r *batchReport) send(st *batchstate.State) {
	r.due = nil
	if r.sub != nil {
		r.post(st, batchstate.ActionProgress)
	}
}

// end reports the end of a batch, once.
func (r *batchReport) end(st *batchstate.State) {
	if r.sub == nil {
		return
	}
	_ = r.sub.Close() // its goroutine reports nothing more
	action := batchstate.ActionComplete
	if st.Halted {
		action = batchstate.ActionHalted
	}
	r.post(st, action)
	r.by, r.sub, r.due = nil, nil, nil
}

func (r *batchReport) post(st *batchstate.State, action string) {
	if r.by == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), batchReportLimit)
	defer cancel()
	tag, data := st.CommandEvent(action)
	if err := r.by.Fire(ctx, tag, data); err != nil {
		r.failed(st, err)
	}
	r.last = time.Now()
}

// failed ends the reports.
func (r *batchReport) failed(st *batchstate.State, err error) {
	r.by.o.Log.Debug("batch not reported to the master", "jid", st.JID, "err", err)
	r.by = nil
}
