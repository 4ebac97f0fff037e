package cluster

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// shelf is the job store of a top.
type shelf struct {
	loads    []returners.Load
	xs       []returners.Expectation
	rets     []returners.Return
	accounts map[string]engine.Account
	reads    int // of pages of returns
}

func (s *shelf) GetLoad(_ context.Context, jid string) (returners.Load, bool, error) {
	i := slices.IndexFunc(s.loads, func(l returners.Load) bool { return l.JID == jid })
	if i < 0 {
		return returners.Load{}, false, nil
	}
	return s.loads[i], true, nil
}

func (s *shelf) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	return s.after(jid, "", len(s.rets), 1<<30), nil
}

func (s *shelf) GetReturn(_ context.Context, jid, id string) (returners.Return, bool, error) {
	for _, r := range s.rets {
		if r.JID == jid && r.ID == id {
			return r, true, nil
		}
	}
	return returners.Return{}, false, nil
}

func (s *shelf) GetExpectations(_ context.Context, jid string) (out []returners.Expectation, err error) {
	for _, x := range s.xs {
		if x.JID == jid {
			out = append(out, x)
		}
	}
	return out, nil
}

func (s *shelf) ReturnsAfter(_ context.Context, jid, after string, limit, maxBytes int) ([]returners.Return, error) {
	s.reads++
	return s.after(jid, after, limit, maxBytes), nil
}

func (s *shelf) after(jid, after string, limit, maxBytes int) (out []returners.Return) {
	rets, size := slices.Clone(s.rets), 0
	slices.SortFunc(rets, func(a, b returners.Return) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range rets {
		if r.JID != jid || r.ID <= after {
			continue
		}
		if size += len(r.Full); len(out) == limit || len(out) > 0 && size > maxBytes {
			break
		}
		out = append(out, r)
	}
	return out
}

func (s *shelf) ListJobs(_ context.Context, f returners.Filter) (out []returners.Load, err error) {
	for _, l := range s.loads {
		if f.Match(l) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b returners.Load) int { return strings.Compare(b.JID, a.JID) })
	if f.Limit > 0 {
		out = out[:min(f.Limit, len(out))]
	}
	return out, nil
}

func (s *shelf) GetFun(context.Context, string) (map[string]returners.Return, error) { return nil, nil }

func (s *shelf) Minions(context.Context) ([]string, error) { return nil, nil }

func (s *shelf) State(jid string) (engine.Account, bool) {
	a, ok := s.accounts[jid]
	return a, ok
}

func (s *shelf) Active(context.Context) (any, error) {
	out := wire.NewMap()
	for jid := range s.accounts {
		out.Set(jid, wire.NewMap("Function", "test.ping"))
	}
	return out, nil
}
