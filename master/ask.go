package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// findJob is the function that says whether a job runs.
const findJob = "saltutil.find_job"

// ask has the given minions asked whether they run a job: those whose connections are
// known over these alone, so that the names of ten thousand do not go out to ten
// thousand; the others by a list to all, as Salt does.
func (m *Master) ask(jid string, ids []string) {
	conns := map[uint64]bool{}
	var rest []string
	for _, id := range ids {
		at := m.presence.Conns(id)
		for _, c := range at {
			conns[c] = true
		}
		if len(at) == 0 {
			rest = append(rest, id)
		}
	}
	if len(conns) > 0 {
		m.askOver(jid, "glob", "*", []string{toAll}, &zmtp.Choice{IDs: conns})
	}
	if len(rest) > 0 {
		j := &job{tgt: anyList(rest), load: wire.PublishLoad{TgtType: "list"}}
		j.Minions = rest
		m.askOver(jid, "list", rest, j.topics(true), nil)
	}
}

func (m *Master) askOver(jid, tgtType string, tgt any, topics []string, to *zmtp.Choice) {
	p := wire.Publication{JID: m.jids.Next(), TgtType: tgtType, User: m.access.Own, Extra: wire.NewMap("mom_probe", true)}
	var err error
	for field, v := range map[*wire.Raw]any{&p.Fun: findJob, &p.Arg: []any{jid}, &p.Tgt: tgt} {
		if *field, err = wire.Encode(v); err != nil {
			m.log.Error("A find_job could not be built", "jid", jid, "err", err)
			return
		}
	}
	m.probes.Add(p.JID, jid)
	if err := m.emitTo(p, topics, to); err != nil {
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
