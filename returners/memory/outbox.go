package memory

import (
	"context"
	"errors"
	"slices"
	"sort"
	"time"

	"github.com/momtree/mom/returners"
)

// rowKey identifies the record an outbox row refers to.
type rowKey struct{ kind, jid, id string }

// outboxRow is one row of the outbox.
type outboxRow struct {
	seq     int64 // negative: the row is gone
	at      int64
	size    int64
	kind    returners.Kind
	jid, id string
	payload []byte // nil: that of the record it refers to
	reason  string // why it was rejected
}

// queue is the outbox of one destination in the order of seq.
type queue struct {
	rows        []outboxRow
	live, bytes int64
}

func (q *queue) from(after int64) int {
	return sort.Search(len(q.rows), func(i int) bool { return abs(q.rows[i].seq) > after })
}

func abs(n int64) int64 { return max(n, -n) }

// take removes a row by its number.
func (q *queue) take(seq int64) (outboxRow, bool) {
	i := q.from(seq - 1)
	if i == len(q.rows) || q.rows[i].seq != seq {
		return outboxRow{}, false
	}
	o := q.rows[i]
	q.rows[i] = outboxRow{seq: -seq}
	q.live--
	q.bytes -= o.size
	for len(q.rows) > 0 && q.rows[0].seq < 0 {
		q.rows = q.rows[1:]
	}
	if int64(len(q.rows)) > 64 && q.live*2 < int64(len(q.rows)) {
		q.rows = slices.DeleteFunc(q.rows, func(o outboxRow) bool { return o.seq < 0 })
	}
	return o, true
}

// put inserts a row in order: a rejected one may be older than the last.
func (q *queue) put(o outboxRow) {
	q.rows = slices.Insert(q.rows, q.from(o.seq), o)
	q.live++
	q.bytes += o.size
}

func (s *Store) queue(dest string) *queue {
	q := s.outbox[dest]
	if q == nil {
		q = &queue{}
		s.outbox[dest] = q
	}
	return q
}

// putOutbox writes the rows for new records, each (dest, row) once.
func (s *Store) putOutbox(items []returners.Item, fresh map[rowKey]struct{}, said changedMarks, now time.Time) error {
	type once struct {
		rowKey
		dest string
	}
	done := make(map[once]struct{}, len(items))
	for i := range items {
		it := &items[i]
		k := rowKey{it.Kind, it.JID, it.ID}
		size, payload := int64(len(it.Payload)), it.Payload
		if it.Kind != returners.KindEvent {
			if it.Kind == returners.KindLoad {
				k.id = ""
			}
			_, isNew := fresh[k]
			if _, twice := done[once{k, it.Dest}]; !isNew || twice {
				continue
			}
			done[once{k, it.Dest}] = struct{}{}
			if it.Payload == nil {
				var err error
				if size, payload, err = s.payloadOf(k, said); err != nil {
					return err
				}
			}
		}
		s.seq++
		s.pending[it.JID]++
		s.queue(it.Dest).put(outboxRow{seq: s.seq, at: now.UnixMicro(), size: size, kind: it.Kind, jid: it.JID, id: it.ID, payload: payload})
	}
	return nil
}

// payloadOf returns the size of a new record and its payload; payload is nil if it is the
// stored row.
func (s *Store) payloadOf(k rowKey, said changedMarks) (size int64, payload []byte, err error) {
	j := s.jobs[k.jid]
	switch k.kind {
	case returners.KindLoad:
		return int64(len(j.load)), nil, nil
	case returners.KindExpectation:
		payload, err = returners.EncodeExpectation(j.exps[k.id].row(k.jid, k.id, said[k]))
		return int64(len(payload)), payload, err
	}
	return int64(len(j.rows[j.byID[k.id]].full)), nil, nil
}

// OutboxRead reads rows of dest with Seq > after in order.
func (s *Store) OutboxRead(_ context.Context, dest string, after int64, limit, maxBytes int) ([]returners.Item, error) {
	if limit <= 0 {
		return nil, errors.New("job store in memory: read the outbox: the limit must be above 0")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, err
	}
	q := s.outbox[dest]
	if q == nil {
		return []returners.Item{}, nil
	}
	items := make([]returners.Item, 0, min(int64(limit), q.live))
	size := 0
	for i := q.from(after); i < len(q.rows) && len(items) < limit; i++ {
		if q.rows[i].seq < 0 {
			continue
		}
		it, err := s.item(dest, &q.rows[i])
		if err != nil {
			return nil, err
		}
		size += len(it.Payload)
		if len(items) > 0 && maxBytes > 0 && size > maxBytes {
			break
		}
		items = append(items, it)
	}
	return items, nil
}

func (s *Store) item(dest string, o *outboxRow) (returners.Item, error) {
	it := returners.Item{Seq: o.seq, Dest: dest, Kind: o.kind, JID: o.jid, ID: o.id, Payload: o.payload, Error: o.reason}
	j := s.jobs[o.jid]
	if j == nil {
		return it, nil
	}
	var stored []byte
	switch o.kind {
	case returners.KindReturn:
		if i, ok := j.byID[o.id]; ok {
			r := s.returnRow(j, &j.rows[i])
			it.Return, stored = &r, r.Full
		}
	case returners.KindLoad:
		if j.hasLoad {
			l := j.loadRow()
			it.Load, stored = &l, l.Raw
		}
	case returners.KindExpectation:
		if x, err := returners.DecodeExpectation(o.payload); err == nil { // else it is another kind of payload
			it.Expectation = &x
		}
	}
	if it.Payload == nil {
		it.Payload = stored
	}
	return it, nil
}

// OutboxAck removes delivered rows. Unknown ones are ignored.
func (s *Store) OutboxAck(_ context.Context, dest string, seqs []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return err
	}
	for _, seq := range seqs {
		if o, ok := s.queue(dest).take(seq); ok && o.reason == "" {
			s.settled(o.jid)
		}
	}
	return nil
}

// settled subtracts one from the pending rows of a job.
func (s *Store) settled(jid string) {
	if s.pending[jid]--; s.pending[jid] == 0 {
		delete(s.pending, jid)
	}
}

// OutboxReject moves a row to returners.Rejected(dest).
func (s *Store) OutboxReject(_ context.Context, dest string, seq int64, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return err
	}
	o, ok := s.queue(dest).take(seq)
	if !ok {
		return nil
	}
	if o.reason == "" {
		s.settled(o.jid)
	}
	o.reason = reason
	s.queue(returners.Rejected(dest)).put(o)
	return nil
}

// OutboxDepth returns the number of rows of dest and the time of the oldest.
func (s *Store) OutboxDepth(_ context.Context, dest string) (rows int64, oldest time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return 0, oldest, err
	}
	q := s.outbox[dest]
	if q == nil || q.live == 0 {
		return 0, oldest, nil
	}
	return q.live, time.UnixMicro(q.rows[0].at).UTC(), nil // the first row is never a removed one
}

// OutboxSize returns the pending rows and bytes of dest.
func (s *Store) OutboxSize(dest string) (rows, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.outbox[dest]; q != nil {
		return q.live, q.bytes
	}
	return 0, 0
}
