package minion

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// answer stores the return of a job for every master that waits for it and
// gives back its bytes.
func (m *Minion) answer(l *link, p wire.Publication, r delivery.Result) wire.Raw {
	full, err := m.encoder.Return(p, r)
	if err != nil {
		full, err = m.encoder.Return(m.encoder.Bare(p), delivery.Failure(p, "ERROR: the result cannot be returned: "+err.Error()))
	}
	if err != nil {
		m.log.Error("no return could be made", "jid", p.JID, "err", err)
		return nil
	}
	if m.cfg.CacheJobs {
		if err := m.cache.Put(p.JID, full); err != nil {
			m.log.Error("return not cached", "jid", p.JID, "err", err)
		}
	}
	defer m.remember(p.JID) // after the return is stored
	for _, to := range m.recent.finish(p.JID, full, l) {
		if !m.cfg.PubRet {
			continue
		}
		if err := to.outbox.Push(p.JID, full); err != nil {
			m.log.Error("return lost", "jid", p.JID, "master", to.name, "err", err)
		}
	}
	m.recent.keep(p.JID)
	return full
}
