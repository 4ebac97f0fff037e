package runners

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/momtree/mom/returners"
)

// Union reads several job stores as one, so that an answer is complete while data of the first
// store is still on its way to the second. If both have an entry, the first one's is used.
func Union(stores ...returners.Reader) returners.Reader {
	if len(stores) == 1 {
		return stores[0]
	}
	return union(stores)
}

type union []returners.Reader

func (u union) GetLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	for _, r := range u {
		if l, ok, err := r.GetLoad(ctx, jid); ok || err != nil {
			return l, ok, err
		}
	}
	return returners.Load{}, false, nil
}

func (u union) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	var out []returners.Return
	seen := map[string]bool{}
	for _, r := range u {
		rets, err := r.GetReturns(ctx, jid)
		if err != nil {
			return nil, err
		}
		for _, ret := range rets {
			if !seen[ret.ID] {
				seen[ret.ID] = true
				out = append(out, ret)
			}
		}
	}
	slices.SortFunc(out, func(a, b returners.Return) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func (u union) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	for _, r := range u {
		if ret, ok, err := r.GetReturn(ctx, jid, id); ok || err != nil {
			return ret, ok, err
		}
	}
	return returners.Return{}, false, nil
}

func (u union) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	byNode := map[string]returners.Expectation{}
	// The first store is the fastest, so its entry is the latest.
	for _, r := range slices.Backward(u) {
		xs, err := r.GetExpectations(ctx, jid)
		if err != nil {
			return nil, err
		}
		for _, x := range xs {
			if old, ok := byNode[x.Node]; ok {
				x, _ = old.Merge(x)
			}
			byNode[x.Node] = x
		}
	}
	out := make([]returners.Expectation, 0, len(byNode))
	for _, x := range byNode {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b returners.Expectation) int { return cmp.Compare(a.Node, b.Node) })
	return out, nil
}

func (u union) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	var out []returners.Load
	seen := map[string]bool{}
	for _, r := range u {
		loads, err := r.ListJobs(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, l := range loads {
			if !seen[l.JID] {
				seen[l.JID] = true
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b returners.Load) int { return cmp.Compare(b.JID, a.JID) })
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

func (u union) GetFun(ctx context.Context, fun string) (map[string]returners.Return, error) {
	out := map[string]returners.Return{}
	for _, r := range u {
		rets, err := r.GetFun(ctx, fun)
		if err != nil {
			return nil, err
		}
		for id, ret := range rets {
			if old, ok := out[id]; !ok || ret.JID > old.JID {
				out[id] = ret
			}
		}
	}
	return out, nil
}

func (u union) Minions(ctx context.Context) ([]string, error) {
	var out []string
	for _, r := range u {
		ids, err := r.Minions(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, ids...)
	}
	sort.Strings(out)
	return slices.Compact(out), nil
}
