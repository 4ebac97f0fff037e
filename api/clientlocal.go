package api

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// jobRunner runs jobs for a user; see [Session].
type jobRunner interface {
	Publish(ctx context.Context, j client.Job) (client.Published, error)
	Run(ctx context.Context, j client.Job) (client.Outcome, error)
	Batch(ctx context.Context, j client.Job, b client.Batch, took func(client.Return)) (client.Account, error)
	Subset(ctx context.Context, j client.Job, n int) (client.Job, error)
	Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error]
}

// localClient is Salt's clients local, local_async, local_batch and local_subset.
type localClient struct {
	time time.Duration // bounds a call that waits for minions
	log  *slog.Logger
}

// run runs a job and waits for its last minion, in whatever tier that is.
func (l *localClient) run(ctx context.Context, by jobRunner, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	return l.runJob(ctx, by, j, full)
}

func (l *localClient) runJob(ctx context.Context, by jobRunner, j client.Job, full bool) (r result) {
	ctx, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	o, err := by.Run(ctx, j)
	if o.JID != "" {
		r.jids = []string{o.JID}
	}
	if err != nil {
		r.err = err
		if len(o.Returns) == 0 {
			return r
		}
	}
	if o.Account != nil {
		r.missing = o.Account.Missing
	}
	l.complete(ctx, by, o.JID, o.Returns)
	m := value.Sized(len(o.Returns))
	for _, id := range slices.Sorted(maps.Keys(o.Returns)) {
		v, err := returnValue(o.Returns[id], full)
		if err != nil {
			r.err = err
			return r
		}
		m.Set(id, v)
	}
	r.values = []any{m}
	return r
}

// complete replaces returns that were too large for an event by those in the job cache.
func (l *localClient) complete(ctx context.Context, by jobRunner, jid string, rets map[string]client.Return) {
	if !anyTrimmed(rets) {
		return
	}
	for ret, err := range by.Returns(ctx, jid) {
		if err != nil {
			l.log.Warn("large returns not read from the job cache", "jid", jid, "err", err)
			return
		}
		if have, ok := rets[ret.ID]; ok && have.Trimmed() {
			rets[ret.ID] = ret
		}
	}
}

func anyTrimmed(rets map[string]client.Return) bool {
	for _, r := range rets {
		if r.Trimmed() {
			return true
		}
	}
	return false
}

// returnValue is the value of a return, with full_return beside its other fields.
func returnValue(r client.Return, full bool) (any, error) {
	v, err := r.Value.Decode()
	if err != nil || !full {
		return v, err
	}
	m := value.NewMap("ret", v, "retcode", r.Retcode, "jid", r.JID)
	if r.Out != "" {
		m.Set("out", r.Out)
	}
	return m, nil
}

// start starts a job.
func (l *localClient) start(ctx context.Context, by jobRunner, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	p, err := by.Publish(ctx, j)
	if err != nil {
		return result{err: err}
	}
	ids := p.Minions
	if ids == nil {
		ids = []string{}
	}
	v := value.NewMap("jid", p.JID, "minions", ids)
	if len(p.Pending) > 0 {
		v.Set("pending", p.Pending)
	}
	return result{values: []any{v}, jids: []string{p.JID}}
}

// batch runs a job on a few minions at a time. Each minion is a value of the result.
func (l *localClient) batch(ctx context.Context, by jobRunner, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err != nil {
		return result{err: err}
	}
	b, err := ch.Batch()
	if err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	var r result
	rets := map[string]client.Return{}
	var order []string
	a, err := by.Batch(ctx, j, b, func(ret client.Return) {
		rets[ret.ID] = ret
		order = append(order, ret.ID)
		if !slices.Contains(r.jids, ret.JID) {
			r.jids = append(r.jids, ret.JID)
		}
	})
	r.missing, r.err = a.Missing, err
	for _, jid := range r.jids {
		l.complete(ctx, by, jid, rets)
	}
	r.values = []any{}
	for _, id := range order {
		v, err := returnValue(rets[id], full)
		if err != nil {
			r.values, r.err = nil, err
			return r
		}
		r.values = append(r.values, value.NewMap(id, v))
	}
	return r
}

// subset runs a job on a few minions at random.
func (l *localClient) subset(ctx context.Context, by jobRunner, ch lowdata.Chunk) result {
	j, err := ch.Job()
	if err = cmp.Or(err, ch.AllAtOnce()); err != nil {
		return result{err: err}
	}
	n, err := ch.Subset()
	if err != nil {
		return result{err: err}
	}
	full, err := ch.Flag("full_return")
	if err != nil {
		return result{err: err}
	}
	ask, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	if j, err = by.Subset(ask, j, n); err != nil {
		return result{err: err}
	}
	return l.runJob(ctx, by, j, full)
}
