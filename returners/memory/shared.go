package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/momtree/mom/returners"
)

// OutboxMove removes delivered rows of dest and appends each to those of its further
// destinations that do not have it yet.
func (s *Store) OutboxMove(_ context.Context, dest string, rows []returners.Move) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return err
	}
	for _, r := range rows {
		o, ok := s.queue(dest).take(r.Seq)
		if !ok {
			continue
		}
		was := o
		for _, to := range r.To {
			s.seq++
			o.seq, o.reason = s.seq, ""
			s.pending[o.jid]++
			s.queue(to).put(o)
		}
		if was.reason == "" {
			s.settled(o.jid)
		}
	}
	return nil
}

// OutboxBackfill appends the stored returns of a job to dest.
func (s *Store) OutboxBackfill(_ context.Context, dest, jid string) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return 0, err
	}
	j := s.jobs[jid]
	if j == nil {
		return 0, nil
	}
	now := s.now().UnixMicro()
	for _, id := range slices.Sorted(maps.Keys(j.byID)) {
		size := int64(len(j.rows[j.byID[id]].full))
		if size == 0 {
			continue
		}
		s.seq++
		s.pending[jid]++
		s.queue(dest).put(outboxRow{seq: s.seq, at: now, size: size, kind: returners.KindReturn, jid: jid, id: id})
		n++
	}
	return n, nil
}

// OutboxForget removes up to limit rows of a destination that no longer exists.
func (s *Store) OutboxForget(_ context.Context, dest string, limit int) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return 0, err
	}
	q := s.queue(dest)
	for ; n < limit && q.live > 0; n++ {
		if o, _ := q.take(q.rows[0].seq); o.reason == "" { // the first row is never a removed one
			s.settled(o.jid)
		}
	}
	return n, nil
}

// OutboxDests returns the number of rows of each destination, rejected ones included.
func (s *Store) OutboxDests() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int64{}
	for dest, q := range s.outbox {
		if q.live > 0 {
			out[dest] = q.live
		}
	}
	return out
}
