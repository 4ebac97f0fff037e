package client

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Subset replaces the target of a job by at most n random minions that match it and know all
// its functions. It asks the minions for their functions. If none is left it returns
// [ErrNoMatch].
func (c *Client) Subset(ctx context.Context, j Job, n int) (Job, error) {
	return SubsetBy(ctx, c, j, n)
}

// SubsetBy is [Client.Subset] on any Follower.
func SubsetBy(ctx context.Context, by Follower, j Job, n int) (Job, error) {
	var modules []any
	for _, fun := range j.Fun {
		module, _, _ := strings.Cut(fun, ".")
		if !slices.Contains(modules, any(module)) {
			modules = append(modules, module)
		}
	}
	o, err := RunBy(ctx, by, j.question("sys.list_functions", modules...))
	if err != nil {
		return j, err
	}
	var able []string
	for _, id := range slices.Sorted(maps.Keys(o.Returns)) {
		v, err := o.Returns[id].Value.Decode()
		if err != nil {
			return j, err
		}
		known, _ := v.([]any)
		if !slices.ContainsFunc(j.Fun, func(fun string) bool { return !slices.Contains(known, any(fun)) }) {
			able = append(able, id)
		}
	}
	rand.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	able = able[:min(max(n, 0), len(able))]
	slices.Sort(able)
	if len(able) == 0 {
		return j, ErrNoMatch
	}
	return j.on(able), nil
}

// question returns a preliminary job for the same minions.
func (j *Job) question(fun string, args ...any) Job {
	q := Job{Tgt: j.Tgt, TgtType: j.TgtType, Fun: []string{fun}, Args: args, Timeout: j.Timeout}
	if d, ok := j.Extra["delimiter"]; ok {
		q.Extra = map[string]any{"delimiter": d}
	}
	return q
}

// on returns the same job for the given minions.
func (j Job) on(ids []string) Job {
	j.Tgt, j.TgtType = ids, "list"
	if _, ok := j.Extra["delimiter"]; ok {
		j.Extra = maps.Clone(j.Extra)
		delete(j.Extra, "delimiter")
	}
	return j
}
