package failover

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/master/presence"
)

// Absent tells that an accepted id has its home elsewhere and is not here now:
// no job has to ask it here, and its home, or the master above that home, misses
// it. One of ours that is on the move is missed here: whoever has it speaks for it,
// and if nobody has, it is named.
func (s *Service) Absent(id string) bool {
	if s == nil {
		return false
	}
	_, guest := s.peers.GuestOf(id)
	return guest && !s.up(id)
}

// MayBeNode tells why an accepted id may not be a node, if so: a guest is nothing else here
// than at home.
func (s *Service) MayBeNode(id string) error {
	if s == nil {
		return nil
	}
	if role, guest := s.peers.RoleOf(id); guest && role != presence.Syndic {
		return errors.New("it is a guest, and a minion where it is at home")
	}
	return nil
}

// storeWait bounds a write that must not be given up because the master ends.
const storeWait = 30 * time.Second

// Announced makes this master answer for the jobs that a guest was at work on when it
// came, or one of its own when it came back, and tells the masters above that it is
// here now. The returns of jobs beyond the bound adopted are taken all the same.
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

// sweep forgets guests that have left, and writes what has changed. Until the master above has
// taken all returns they are remembered: it takes those of minions that this node has.
func (s *Service) sweep() {
	gone := s.peers.Leavers(s.up)
	if err := s.revoked.Sweep(); err != nil {
		s.Failing("Which keys are gone could not be written", err)
	}
	if len(gone) > 0 && s.Owed() == 0 {
		s.peers.Sweeping(gone...)
		if _, err := s.Keys.Delete(gone...); err != nil {
			s.Log.Error("keys of departed minions not removed", "err", err)
		}
		for _, id := range gone {
			s.peers.Forget(id)
			// It may have left while this master was down, and nothing told the jobs
			// that it, and what is below it, will not answer here.
			s.Jobs.NodeDown(id)
			s.Jobs.MinionDown(id, 0)
		}
		s.Log.Info("failover minions left", "count", len(gone), "first", gone[0])
	}
	if err := s.peers.Save(); err != nil {
		s.Failing("What is known of siblings could not be written", err)
	}
}
