package minion

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// answer stores the return of a job for every master that waits for it and
// gives back its bytes.
func (m *Minion) answer(l *link, p wire.Publication, r result) wire.Raw {
	full, err := m.encodeReturn(p, r)
	if err != nil {
		full, err = m.encodeReturn(m.bare(p), failure(p, "ERROR: the result cannot be returned: "+err.Error()))
	}
	if err != nil {
		m.log.Error("no return could be made", "jid", p.JID, "error", err)
		return nil
	}
	if m.cfg.CacheJobs {
		if err := m.cacheReturn(p.JID, full); err != nil {
			m.log.Error("return not cached", "jid", p.JID, "error", err)
		}
	}
	defer m.remember(p.JID) // after the return is stored
	for _, to := range m.recent.finish(p.JID, full, l) {
		if !m.cfg.PubRet {
			continue
		}
		if err := to.outbox.push(p.JID, full); err != nil {
			m.log.Error("return lost", "jid", p.JID, "master", to.name, "error", err)
		}
	}
	m.recent.keep(p.JID)
	return full
}

// encodeReturn is the `_return` load in Salt's field order, without what the
// channel adds (Salt wire reference §9.1).
func (m *Minion) encodeReturn(p wire.Publication, r result) (wire.Raw, error) {
	load := wire.NewMap(
		"cmd", "_return", "id", m.cfg.ID,
		"success", r.success, "return", r.value, "retcode", r.retcode)
	if r.out != "" {
		load.Set("out", r.out)
	}
	load.Set("jid", p.JID)
	load.Set("fun", p.Fun)
	load.Set("fun_args", p.Arg)
	if p.User != "" {
		load.Set("user", p.User)
	}
	if p.MasterID != "" {
		load.Set("master_id", p.MasterID)
	}
	if meta, err := wire.DecodeMap(p.Metadata); err == nil && len(p.Metadata) > 0 {
		load.Set("metadata", meta)
	}
	full, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	if err := wire.FitFields(full, m.depth); err != nil {
		return nil, err
	}
	// A tenth is left for the envelope and for padding.
	if most := m.cfg.MaxFrameSize - m.cfg.MaxFrameSize/10; most > 0 && len(full) > most {
		return nil, fmt.Errorf("it has %d bytes, max_frame_size allows %d: return less, or raise it on minion and master", len(full), most)
	}
	return full, nil
}

// bare leaves out of a job what may be the reason why its return cannot be sent.
func (m *Minion) bare(p wire.Publication) wire.Publication {
	if wire.FitsDepth(p.Arg, m.depth) != nil || len(p.Arg) > maxEcho {
		p.Arg = wire.Raw{0x90} // an empty list
	}
	if wire.FitsDepth(p.Metadata, m.depth) != nil || len(p.Metadata) > maxEcho {
		p.Metadata = nil
	}
	return p
}

// maxEcho bounds the arguments, in bytes, that go with the report of a return that
// cannot be sent.
const maxEcho = 64 << 10
