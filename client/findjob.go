package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// waits returns how long to wait for the minions of a job, by the job and the configuration.
func (c *Client) waits(j *Job) waits {
	w := waits{timeout: 5 * time.Second, answers: 10 * time.Second}
	if conf := c.o.conf; conf != nil {
		w.timeout, w.answers = conf.Timeout, conf.GatherJobTimeout
		if conf.OrderMasters {
			w.syndics = conf.SyndicWait
		}
	}
	if j.Timeout > 0 {
		w.timeout = j.Timeout
	}
	return w
}

// listenTo subscribes to the events of a job.
func (c *Client) listenTo(ctx context.Context, jid string) (*subscriber, error) {
	h, err := c.dispatcher.listen(ctx)
	if err == nil {
		h.bind(jid)
	}
	return h, err
}

// findJob asks minions whether they run a job. Their answers are the returns of another job, whose
// events it subscribes to. The minions answer within wait.
func (c *Client) findJob(ctx context.Context, jid string, ids []string, wait time.Duration) (*subscriber, error) {
	h, err := c.dispatcher.listen(ctx)
	if err != nil {
		return nil, err
	}
	p, err := c.Publish(ctx, Job{Tgt: ids, TgtType: "list", Fun: []string{"saltutil.find_job"}, Args: []any{jid}, Timeout: wait})
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.bind(p.JID)
	return h, nil
}

// runsJob reads the answer of a minion to find_job: the job that it runs, or an empty map. A
// minion without the function returns a text.
func runsJob(answer wire.Return) bool {
	d, err := Raw(answer.Value).Map()
	if err != nil || answer.Retcode > 0 || d.Len() == 0 {
		return false
	}
	inner := d.Map("return")
	return inner == nil || inner.Len() > 0
}

// storedReturns reads the returns of a job from the job cache of a Python master.
func (c *Client) storedReturns(ctx context.Context, jid string) ([]*Return, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	raw, err := c.Runner(ctx, "jobs.list_job", jid)
	if err != nil {
		return nil, err
	}
	record, err := raw.Map()
	if err != nil {
		return nil, fmt.Errorf("record of job %s: %w", jid, err)
	}
	var out []*Return
	results := record.Map("Result")
	for _, k := range results.Keys() {
		id, _ := k.(string)
		d := results.Map(id)
		if id == "" || !d.Has("return") {
			continue
		}
		v, _ := d.Get("return")
		r := &Return{JID: jid, ID: id, Fun: record.String("Function"), Retcode: int(d.Int("retcode")), Out: d.String("out")}
		r.Success = d.Bool("success") || !d.Has("success") && r.Retcode == 0
		if r.Value, err = RawOf(v); err != nil {
			return nil, fmt.Errorf("stored return of %s to job %s: %w", id, jid, err)
		}
		out = append(out, r)
	}
	return out, nil
}
