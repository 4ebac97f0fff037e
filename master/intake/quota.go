package intake

import (
	"cmp"
	"errors"

	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

var (
	errReturnsQuota = errors.New("unexpected returns of the minion exceed its daily quota and are not stored; see option minion_returns_max_bytes")
	errEventsQuota  = errors.New("events of the minion exceed its daily quota and are dropped; see option minion_events_max_bytes")
)

// charged holds returns within the quotas of their minions.
type charged struct {
	s     *Service
	rets  []returners.Return
	bytes []int // bytes counted for each; 0: expected by an open job
	loads []returners.Load
}

// withinQuota drops returns that exceed the quota of their minion, and their loads. Returns that
// an open job expects do not count: the operator decides how many jobs there are.
func (s *Service) withinQuota(rets []returners.Return, loads []returners.Load) charged {
	c := charged{s: s, loads: loads}
	lost := map[string]bool{} // jobs with no return left
	for _, r := range rets {
		n := 0
		if !s.o.Jobs.Asked(r.JID, r.ID, r.Via != "") {
			n = len(r.Full)
			for _, l := range loads {
				if l.JID == r.JID && r.Via == "" { // load of salt-call or a schedule
					n += len(l.Raw)
				}
			}
			//mutant:minion-returns-per-day
			if payer := s.payer(r.ID); !s.returns.Take(payer, n, s.o.Now()) {
				s.reportQuota(payer, r.Via, r.JID, errReturnsQuota)
				if _, kept := lost[r.JID]; !kept {
					lost[r.JID] = true
				}
				continue
			}
		}
		lost[r.JID] = false
		c.rets, c.bytes = append(c.rets, r), append(c.bytes, n)
	}
	c.loads = nil
	for _, l := range loads {
		if !lost[l.JID] {
			c.loads = append(c.loads, l)
		}
	}
	return c
}

// payer returns the minion whose quota a return counts for; a resource counts for its manager.
func (s *Service) payer(id string) string { return cmp.Or(s.o.Resources.Manager(id), id) }

// refund returns the bytes of returns that were not stored.
func (c charged) refund(fresh []bool, err error) {
	for i, r := range c.rets {
		if c.bytes[i] > 0 && (err != nil || !fresh[i]) {
			c.s.returns.Refund(c.s.payer(r.ID), c.bytes[i])
		}
	}
}

// withinEventQuota counts an event of a minion and reports whether it is within the quota.
func (s *Service) withinEventQuota(id string, bytes int) bool {
	//mutant:minion-events-per-day
	if s.events.Take(id, bytes, s.o.Now()) {
		return true
	}
	s.reportQuota(id, "", "", errEventsQuota)
	return false
}

// reportQuota counts and reports a refusal. via is the node it came through.
func (s *Service) reportQuota(id, via, jid string, why error) {
	path := id
	if via != "" {
		path = via + "/" + id // rate-limit the log per minion, not per node
	}
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfQuota, Path: path, ID: id, JID: jid, Err: why})
	s.overQuota.note(Recent{ID: id, JID: jid, Why: why.Error(), Since: s.o.Now()})
}
