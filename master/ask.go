package master

import (
	"github.com/momtree/mom/internal/wire"
)

// findJob is the function that says whether a job runs.
const findJob = "saltutil.find_job"

// ask publishes one find_job to the given minions.
func (m *Master) ask(jid string, ids []string) {
	p := wire.Publication{JID: m.jids.Next(), Ret: "", TgtType: "list", User: m.user(), Extra: wire.NewMap("mom_probe", true)}
	var err error
	if p.Fun, err = wire.Encode(findJob); err == nil {
		if p.Arg, err = wire.Encode([]any{jid}); err == nil {
			p.Tgt, err = wire.Encode(ids)
		}
	}
	if err != nil {
		m.log.Error("A find_job could not be built", "jid", jid, "err", err)
		return
	}
	m.probes.Add(p.JID, jid)
	j := &job{tgt: anyList(ids), load: wire.PublishLoad{TgtType: "list"}}
	j.minions = ids
	if err := m.emit(p, j.topics(true)); err != nil {
		m.log.Error("A find_job could not be published", "jid", jid, "err", err)
	}
}

func anyList(ids []string) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = id
	}
	return out
}
