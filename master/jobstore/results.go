package jobstore

import "github.com/momtree/mom/returners"

// KeepResults stores the results of one job in spite of NoResults, until release is called: the
// caller wants to read them here.
func (s *Store) KeepResults(jid string) (release func()) {
	s.asked.Store(jid, struct{}{})
	return func() { s.asked.Delete(jid) }
}

// withoutResults removes the results from a batch; a return then only records that it came. The
// parent still gets all of it, the database nothing.
func (s *Store) withoutResults(b *returners.Batch) {
	rets := make([]returners.Return, len(b.Returns))
	whole := make(map[[2]string][]byte, len(rets))
	for i, r := range b.Returns {
		if rets[i] = r; s.wanted(r.JID) {
			continue
		}
		whole[[2]string{r.JID, r.ID}] = r.Full
		rets[i].Value, rets[i].Full = nil, nil
	}
	rows := b.Outbox[:0]
	for _, it := range b.Outbox {
		full, stripped := whole[[2]string{it.JID, it.ID}]
		if stripped && it.Dest == returners.DestMySQL {
			continue
		}
		if stripped {
			it.Payload = full
		}
		rows = append(rows, it)
	}
	b.Returns, b.Outbox = rets, rows
}

func (s *Store) wanted(jid string) bool {
	_, ok := s.asked.Load(jid)
	return ok
}
