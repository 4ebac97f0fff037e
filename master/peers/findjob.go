package peers

import (
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// findJob is Salt's function that reports whether a job is running.
const findJob = "saltutil.find_job"

// Find schedules find_job to minions. It does not block.
func (s *Service) Find(jid string, ids []string) { s.asks.Add(jid, ids) }

// Probed reports whether a jid is that of a find_job.
func (s *Service) Probed(jid string) bool { return s.probes.Asked(jid) }

// Answered handles a return that answers a question of this service, and reports whether it is
// one. version is the protocol version of the return.
func (s *Service) Answered(jid, id string, value wire.Raw, version int) bool {
	return s.probes.Answer(jid, id, value) || s.answeredWho(jid, id, version)
}

// ask sends find_job to minions: over their connections if these are known, so that ten thousand
// names do not go to ten thousand minions; otherwise as a list to all, like Salt.
func (s *Service) ask(jid string, ids []string) {
	conns := map[uint64]bool{}
	var rest []string
	for _, id := range ids {
		at := s.MinionConns(id)
		for _, c := range at {
			conns[c] = true
		}
		if len(at) == 0 {
			rest = append(rest, id)
		}
	}
	if len(conns) > 0 {
		s.askOver(jid, "glob", "*", []string{channel.ToAll}, &zmtp.Choice{IDs: conns})
	}
	if len(rest) > 0 {
		s.askOver(jid, "list", rest, channel.TopicsOf(rest), nil)
	}
}

func (s *Service) askOver(jid, tgtType string, tgt any, topics []string, to *zmtp.Choice) {
	p := wire.Publication{JID: s.o.JID(), TgtType: tgtType, User: s.o.User, Extra: wire.NewMap(jobfields.ProbeField, true)}
	var err error
	for field, v := range map[*wire.Raw]any{&p.Fun: findJob, &p.Arg: []any{jid}, &p.Tgt: tgt} {
		if *field, err = wire.Encode(v); err != nil {
			s.o.Log.Error("find_job not built", "jid", jid, "err", err)
			return
		}
	}
	s.probes.Add(p.JID, jid)
	if err := s.o.Publications.Send(p, topics, to); err != nil {
		s.o.Log.Error("find_job not published", "jid", jid, "err", err)
	}
}
