package salt

import (
	"context"
	"fmt"

	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/report"
)

// safeguard turns a job into a batch if its target matches too many minions
// (batch_safe_limit and batch_safe_size).
type safeguard struct {
	limit int    // 0 and 1: none
	size  string // of the batch, a number or a percentage
}

// defaultSafeSize is Salt's default of batch_safe_size.
const defaultSafeSize = "8"

// configure takes from the master's configuration what the line does not say.
func (g *safeguard) configure(c command.Configuration) {
	if v, known := c.Get("batch_safe_limit"); known && g.limit == 0 {
		if n, ok := v.(int64); ok {
			g.limit = int(n)
		}
	}
	if v, known := c.Get("batch_safe_size"); known && g.size == "" && v != nil {
		g.size = fmt.Sprint(v)
	}
	if g.size == "" {
		g.size = defaultSafeSize
	}
}

// guard switches to batch mode if the target matches as many minions as the safeguard
// allows or more; with --async the master drives the batch, as in Salt. A count that cannot be had is an error: a
// guard must not be absent without a word.
func (r *call) guard(ctx context.Context) error {
	if r.f.safe.limit <= 1 || r.f.batch != "" || r.f.doc {
		return nil
	}
	n, err := r.matched(ctx)
	if err != nil {
		return r.refused(ctx, fmt.Errorf("count the minions for batch_safe_limit: %w", err), "")
	}
	//mutant:batch-safe-limit
	if n < r.f.safe.limit {
		return nil
	}
	r.f.batch = r.f.safe.size
	if _, ok := r.client.(batchStarter); !ok { // the REST API has no batch that goes on by itself
		r.f.async = false
	}
	if err := r.f.consistent(); err != nil {
		return command.Exit(report.NoReturn, fmt.Errorf("the target matches %d minions, batch_safe_limit is %d: %s", n, r.f.safe.limit, err.Error()))
	}
	r.report(nil).Note("\nNOTICE: Too many minions targeted, switching to batch execution.\n")
	return nil
}

// matched counts the minions that the target matches or may match in the whole tree.
func (r *call) matched(ctx context.Context) (int, error) {
	m, err := r.client.Meant(ctx, r.job, 0)
	if err == nil {
		return m.Count + m.Unknown, nil
	}
	p, perr := r.client.Preview(ctx, r.job) // Salt's own API knows this alone
	if perr != nil {
		return 0, err
	}
	n := len(p.Minions)
	for _, unknown := range p.Unknown {
		n += unknown
	}
	return n, nil
}
