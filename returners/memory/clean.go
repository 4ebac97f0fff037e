package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/returners"
)

// Clean removes jobs whose last row is older than before, and events, at most limit rows.
// It keeps jobs with pending outbox rows and jobs held by a note.
func (s *Store) Clean(_ context.Context, before time.Time, limit int) (int, error) {
	if limit <= 0 {
		return 0, errors.New("job store in memory: clean: the limit must be above 0")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return 0, err
	}
	var old []*job
	for _, j := range s.jobs {
		if j.last < before.UnixMicro() && s.pending[j.jid] == 0 && !s.held(j.jid) {
			old = append(old, j)
		}
	}
	slices.SortFunc(old, func(a, b *job) int { return cmp.Or(cmp.Compare(a.last, b.last), strings.Compare(a.jid, b.jid)) })
	total := 0
	for _, j := range old[:min(len(old), limit, 500)] {
		if total += s.cleanJob(j, limit-total); total >= limit {
			return total, nil
		}
	}
	kept := s.events[:0]
	for _, e := range s.events {
		if e.at < before.UnixMicro() && total < limit {
			delete(s.keys, e.key)
			total++
			continue
		}
		kept = append(kept, e)
	}
	s.events = kept
	return total, nil
}

// Hold resets the age of jobs.
func (s *Store) Hold(_ context.Context, jids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range jids {
		if j := s.jobs[id]; j != nil {
			j.last = s.age(s.now()).UnixMicro()
		}
	}
	return s.open()
}

// cleanJob removes up to limit rows of one job, the job itself last.
func (s *Store) cleanJob(j *job, limit int) int {
	total := 0
	if n := min(len(j.rows), limit); n > 0 {
		gone := map[string]struct{}{}
		for _, w := range j.sorted()[:n] {
			gone[w.id] = struct{}{}
		}
		j.rows = slices.DeleteFunc(j.rows, func(w row) bool { _, ok := gone[w.id]; return ok })
		j.byID = make(map[string]int32, len(j.rows))
		for i := range j.rows {
			j.byID[j.rows[i].id] = int32(i)
		}
		if total += n; total >= limit {
			return total
		}
	}
	for _, node := range slices.Sorted(maps.Keys(j.exps)) {
		if total >= limit {
			return total
		}
		delete(j.exps, node)
		total++
	}
	if total >= limit {
		return total
	}
	for dest, q := range s.outbox {
		if !strings.HasPrefix(dest, returners.Rejected("")) {
			continue
		}
		for _, o := range slices.Clone(q.rows) {
			if o.seq > 0 && o.jid == j.jid {
				q.take(o.seq)
			}
		}
	}
	delete(s.notes, j.jid) // notes that would hold the job are absent here
	delete(s.jobs, j.jid)
	return total + 1
}
