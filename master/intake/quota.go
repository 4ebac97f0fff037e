package intake

import (
	"cmp"
	"errors"

	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

var (
	errReturnsQuota = errors.New("returns that no open job waits for exceed what one minion may bring in 24 hours; they are answered and not stored (option minion_returns_max_bytes)")
	errEventsQuota  = errors.New("events exceed what one minion may bring in 24 hours; they are answered and dropped (option minion_events_max_bytes)")
)

// charged are returns that are within the quotas of their minions.
type charged struct {
	s     *Service
	rets  []returners.Return
	bytes []int // what was counted for each; 0: an open job waits for it
	loads []returners.Load
}

// withinQuota leaves out the returns, and the loads that came with them alone, which exceed
// the quota of their minion. A return that a job open here waits for does not count: each
// minion has one of each job, and who gives jobs is the operator.
func (s *Service) withinQuota(rets []returners.Return, loads []returners.Load) charged {
	c := charged{s: s, loads: loads}
	lost := map[string]bool{} // jobs of which nothing is left
	for _, r := range rets {
		n := 0
		if !s.o.Jobs.Asked(r.JID, r.ID, r.Via != "") {
			n = len(r.Full)
			for _, l := range loads {
				if l.JID == r.JID && r.Via == "" { // its own, of salt-call or a schedule
					n += len(l.Raw)
				}
			}
			//mutant:minion-returns-per-day
			if payer := s.payer(r.ID); !s.returns.Take(payer, n, s.o.Now()) {
				s.exceeds(payer, r.Via, r.JID, errReturnsQuota)
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

// payer is the minion whose quota a return counts for: of a resource that which manages it.
func (s *Service) payer(id string) string { return cmp.Or(s.o.Resources.Manager(id), id) }

// settle gives back what was counted for returns that were not stored.
func (c charged) settle(fresh []bool, err error) {
	for i, r := range c.rets {
		if c.bytes[i] > 0 && (err != nil || !fresh[i]) {
			c.s.returns.Give(c.s.payer(r.ID), c.bytes[i])
		}
	}
}

// mayBring counts an event of a minion, and reports whether it is within the quota.
func (s *Service) mayBring(id string, bytes int) bool {
	//mutant:minion-events-per-day
	if s.events.Take(id, bytes, s.o.Now()) {
		return true
	}
	s.exceeds(id, "", "", errEventsQuota)
	return false
}

// exceeds counts and reports a refusal; via is the node that it came through.
func (s *Service) exceeds(id, via, jid string, why error) {
	path := id
	if via != "" {
		path = via + "/" + id // each minion has its turn in the log, and not its node
	}
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfQuota, Path: path, ID: id, JID: jid, Err: why})
	s.overQuota.note(Recent{ID: id, JID: jid, Why: why.Error(), Since: s.o.Now()})
}
