package minion

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// reportInterrupted answers the jobs that an earlier run of the minion had
// started and did not live to answer. Each goes to the master it came from, or,
// when that is none of ours any more, to whoever asks first.
func (m *Minion) reportInterrupted(l *link, known map[string]bool) {
	left, err := m.procs.list()
	if err != nil {
		m.log.Error("cannot look for interrupted jobs", "error", err)
		return
	}
	for _, p := range left {
		master := p.load.String(masterField)
		if p.alive() || m.runs(p.jid) || master != l.name && known[master] {
			continue
		}
		p.load.Delete(masterField)
		pub, err := publicationOf(p.load)
		if err != nil {
			m.log.Warn("interrupted job cannot be reported", "jid", p.jid, "error", err)
			m.procs.remove(p.jid)
			continue
		}
		m.log.Warn("job was interrupted by the end of the minion", "jid", p.jid)
		m.recent.take(p.jid, l)
		m.answer(l, pub, delivery.Failure(pub, "ERROR: the minion ended while this job ran; what it had done by then is unknown"))
		m.procs.remove(p.jid)
	}
}

// runs reports whether this process runs the job itself.
func (m *Minion) runs(jid string) bool {
	_, ok := m.table.Find(jid)
	return ok
}

func publicationOf(load *wire.Map) (wire.Publication, error) {
	raw, err := wire.Encode(load)
	if err != nil {
		return wire.Publication{}, err
	}
	p, err := wire.ParsePublication(raw)
	if err != nil {
		return wire.Publication{}, fmt.Errorf("read publication: %w", err)
	}
	return p, nil
}
