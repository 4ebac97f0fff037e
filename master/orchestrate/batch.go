package orchestrate

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/master/runners"
)

// inBatches runs a job on at most batch minions at a time, a number or a percentage of those that
// answer test.ping. Each gets a job of its own as soon as there is room. With failhard no further
// minion starts after one fails or does not return.
func (f *funcs) inBatches(ctx context.Context, q runners.Question, batch string, failhard bool) ([]returned, error) {
	size := client.Batch{Size: batch}
	if err := size.Validate(); err != nil {
		return nil, err
	}
	there, err := f.env.Ask(ctx, before(q, "test.ping"))
	if err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(there.Returned))
	n, err := size.Slots(len(ids))
	if err != nil {
		return nil, err
	}
	var (
		mu   sync.Mutex
		out  []returned
		over atomic.Bool
	)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(n)
	for _, id := range ids {
		g.Go(func() error { // waits for a slot
			if over.Load() || ctx.Err() != nil {
				return nil
			}
			own := q
			own.Tgt, own.TgtType = []string{id}, "list"
			a, err := f.env.Ask(ctx, own)
			if err != nil {
				return err
			}
			r := returned{id: id, value: false, absent: true}
			if got, ok := a.Returned[id]; ok {
				r = returned{id: id, value: got.Value, ok: got.OK}
			}
			if failhard && !r.ok {
				over.Store(true)
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, r)
			return nil
		})
	}
	err = g.Wait()
	slices.SortFunc(out, func(a, b returned) int { return strings.Compare(a.id, b.id) })
	return out, err
}

// few returns at most n random minions of a job that have its function.
func (f *funcs) few(ctx context.Context, q runners.Question, n int) ([]string, error) {
	module, _, _ := strings.Cut(q.Fun, ".")
	a, err := f.env.Ask(ctx, before(q, "sys.list_functions", module))
	if err != nil {
		return nil, err
	}
	var able []string
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		if known, _ := a.Returned[id].Value.([]any); slices.Contains(known, any(q.Fun)) {
			able = append(able, id)
		}
	}
	rand.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	able = able[:min(n, len(able))]
	slices.Sort(able)
	return able, nil
}

// before returns a preliminary question for the minions of a job.
func before(q runners.Question, fun string, args ...any) runners.Question {
	return runners.Question{Tgt: q.Tgt, TgtType: q.TgtType, Fun: fun, Args: args, Timeout: q.Timeout, Gather: q.Gather}
}
