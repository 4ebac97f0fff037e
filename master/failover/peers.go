package failover

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/master/presence"
)

// storeWait bounds a write that continues after the master's context ends.
const storeWait = 30 * time.Second

// Announced makes this master responsible for the jobs that a guest was running when it came,
// or one of its own when it came back, and reports to the parents that it is here. Returns of
// jobs beyond the bound adopted are accepted too.
func (s *Service) Announced(a presence.Announcement) {
	if s == nil || len(a.Running) == 0 || !a.Back && !s.peers.Moves(a.ID) {
		return
	}
	for _, job := range a.Running[:min(len(a.Running), s.Config.Bounds.Adopted)] {
		if !jid.Valid(job) {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), storeWait)
		if err := s.Jobs.Adopt(ctx, job, a.ID); err != nil {
			s.Log.Error("early returns of a moved minion not counted", "jid", job, "minion", a.ID, "err", err)
		}
		cancel()
	}
}

// sweep removes guests that have left, and writes what changed. Guests are kept until the
// parents have all returns: they accept only those of minions that this node has.
func (s *Service) sweep() {
	gone := s.peers.Leavers(s.up)
	if err := s.revoked.Sweep(); err != nil {
		s.Failing("revoked keys not written", err)
	}
	if len(gone) > 0 && s.PendingReturns() == 0 {
		s.peers.Sweeping(gone...)
		if _, err := s.Editor.Delete(gone...); err != nil {
			s.Log.Error("keys of departed minions not removed", "err", err)
		}
		for _, id := range gone {
			s.peers.Forget(id)
			// If it left while this master was down, no job knows that it, and the minions
			// below it, will not answer here.
			s.Jobs.NodeDown(id)
			s.Jobs.MinionDown(id, 0)
		}
		s.Log.Info("failover minions left", "count", len(gone), "first", gone[0])
	}
	if err := s.peers.Save(); err != nil {
		s.Failing("registry of siblings not written", err)
	}
}
