package runners

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// Inflight summarizes the work in progress on a master.
type Inflight struct {
	Jobs     []engine.Summary
	Open     int    // open jobs, also those that Jobs leaves out
	Returned uint64 // returns accepted since the master started
	Closed   uint64 // jobs closed since the master started
	At       time.Time
}

// Worker is the part of [Env] that jobs.inflight uses.
type Worker interface {
	// Inflight returns the open jobs, newest first, at most limit.
	Inflight(limit int) Inflight
}

// inflightLimit limits the jobs in one answer.
const inflightLimit = 500

func init() {
	Register(Function{
		Name: "jobs.inflight", Reads: true,
		Doc: `
The open jobs of this master, each with the numbers of minions that are expected, have
returned, failed, are missing and are pending, and the paths of some pending ones; with
counters of the master for computing rates.

    salt-run jobs.inflight
    salt-run jobs.inflight limit=10
`,
		Args: []string{"limit="},
		Run:  inflight,
	})
}

func inflight(ctx context.Context, c *Call) (any, error) {
	w, ok := c.Env.(Worker)
	if !ok {
		return nil, errors.New("jobs.inflight: this master keeps no account of open jobs")
	}
	limit := inflightLimit
	if v, ok := c.Arg("limit"); ok {
		n, isInt := v.(int64)
		if !isInt || n < 0 {
			return nil, fmt.Errorf("jobs.inflight: limit is %v, not a number of jobs", v)
		}
		limit = min(int(n), inflightLimit)
	}
	now := w.Inflight(limit)
	jobs := make([]any, 0, len(now.Jobs))
	cache, err := c.Env.Jobs(ctx, "local_cache")
	if err != nil {
		return nil, fmt.Errorf("jobs.inflight: %w", err)
	}
	for _, s := range now.Jobs {
		m := wire.NewMap("jid", s.JID, "fun", s.Fun, "opened", s.Opened.UTC().Format(time.RFC3339Nano),
			"age", now.At.Sub(s.Opened).Seconds(), "expected", s.Expected, "returned", s.Returned, "failed", s.Failed,
			"missing", s.Missing, "waiting", s.Waiting, "waits_for", wire.AnyList(s.For), "nodes_due", wire.AnyList(s.Nodes), "held", s.Held)
		// A job with an unreadable load is still in flight.
		if load, ok, err := cache.GetLoad(ctx, s.JID); err == nil && ok {
			describe(m, load.Raw)
		}
		jobs = append(jobs, m)
	}
	return wire.NewMap("at", now.At.UTC().Format(time.RFC3339Nano), "open", now.Open, "jobs", jobs,
		"returned", now.Returned, "closed", now.Closed), nil
}

// describe adds target and user of a job to m.
func describe(m *wire.Map, load wire.Raw) {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return
	}
	tgt, _ := d.Get("tgt")
	m.Set("tgt", tgt)
	m.Set("tgt_type", d.String("tgt_type"))
	m.Set("user", d.String("user"))
}
