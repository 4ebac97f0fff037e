package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/returners"
)

// GetLoad reads what was published for a job.
func (s *Store) GetLoad(_ context.Context, jid string) (returners.Load, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[jid]
	if err := s.open(); err != nil || j == nil || !j.hasLoad {
		return returners.Load{}, false, err
	}
	return j.loadRow(), true, nil
}

// GetReturns reads all returns of a job, ordered by minion id.
func (s *Store) GetReturns(_ context.Context, jid string) ([]returners.Return, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[jid]
	if err := s.open(); err != nil || j == nil {
		return nil, err
	}
	out := make([]returners.Return, 0, len(j.rows))
	for _, w := range j.sorted() {
		out = append(out, s.returnRow(j, w))
	}
	return out, nil
}

// GetReturn reads the return of one minion; ok is false if it has not returned.
func (s *Store) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	all, err := s.GetReturns(ctx, jid)
	if err != nil {
		return returners.Return{}, false, err
	}
	i, ok := slices.BinarySearchFunc(all, id, func(r returners.Return, id string) int { return cmp.Compare(r.ID, id) })
	if !ok {
		return returners.Return{}, false, nil
	}
	return all[i], true, nil
}

// ReturnsAfter reads a page of the returns of a job, ordered by minion id.
func (s *Store) ReturnsAfter(ctx context.Context, jid, after string, limit, maxBytes int) (out []returners.Return, err error) {
	all, err := s.GetReturns(ctx, jid)
	bytes := 0
	for _, r := range all {
		if r.ID <= after {
			continue
		}
		if bytes += len(r.Full); len(out) == limit || len(out) > 0 && bytes > maxBytes {
			break
		}
		out = append(out, r)
	}
	return out, err
}

// Outcomes returns the minions that have returned a job, ordered by id.
func (s *Store) Outcomes(_ context.Context, jid string) ([]returners.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[jid]
	if err := s.open(); err != nil || j == nil {
		return nil, err
	}
	out := make([]returners.Outcome, 0, len(j.rows))
	for _, w := range j.sorted() {
		out = append(out, returners.Outcome{ID: w.id, Via: s.texts.get(w.via), OK: w.success && w.retcode == 0})
	}
	return out, nil
}

// EachReturn visits the returns of a job in the order of their arrival, without copying all
// of them. visit must not call the store.
func (s *Store) EachReturn(jid string, visit func(returners.Return)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[jid]
	if j == nil {
		return
	}
	for i := range j.rows {
		visit(s.returnRow(j, &j.rows[i]))
	}
}

// GetExpectations reads who was asked, ordered by node.
func (s *Store) GetExpectations(_ context.Context, jid string) ([]returners.Expectation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[jid]
	if err := s.open(); err != nil || j == nil {
		return nil, err
	}
	var out []returners.Expectation
	for _, node := range slices.Sorted(maps.Keys(j.exps)) {
		e := j.exps[node]
		out = append(out, e.row(jid, node, e.marks))
	}
	return out, nil
}

// ListJobs lists jobs with a load, newest first.
func (s *Store) ListJobs(_ context.Context, f returners.Filter) ([]returners.Load, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	var out []returners.Load
	for _, j := range s.jobs {
		if l := j.loadRow(); j.hasLoad && f.Match(l) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b returners.Load) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(b.JID, a.JID))
	})
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

// GetFun reads the last return of each minion for one function.
func (s *Store) GetFun(_ context.Context, fun string) (map[string]returners.Return, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	last := map[string]returners.Return{}
	for _, j := range s.jobs {
		for i := range j.rows {
			w := &j.rows[i]
			if s.texts.get(w.fun) != fun {
				continue
			}
			if have, ok := last[w.id]; !ok || have.JID < j.jid {
				last[w.id] = s.returnRow(j, w)
			}
		}
	}
	return last, nil
}

// Minions lists all minions with a return, sorted.
func (s *Store) Minions(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	ids := map[string]struct{}{}
	for _, j := range s.jobs {
		for id := range j.byID {
			ids[id] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}
