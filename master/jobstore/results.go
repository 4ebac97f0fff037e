package jobstore

import "github.com/momtree/mom/returners"

// KeepResults keeps the results of one job in spite of NoResults, until the
// function it gives is called: who asked wants to read them here.
func (s *Store) KeepResults(jid string) (release func()) {
	s.asked.Store(jid, struct{}{})
	return func() { s.asked.Delete(jid) }
}

// withoutResults takes the results out of a batch, so that a return leaves only
// the mark that it was there. The master above is still owed the whole of it, the
// database nothing.
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
	owed := b.Outbox[:0]
	for _, it := range b.Outbox {
		full, stripped := whole[[2]string{it.JID, it.ID}]
		if stripped && it.Dest == returners.DestMySQL {
			continue
		}
		if stripped {
			it.Payload = full
		}
		owed = append(owed, it)
	}
	b.Returns, b.Outbox = rets, owed
}

func (s *Store) wanted(jid string) bool {
	_, ok := s.asked.Load(jid)
	return ok
}
