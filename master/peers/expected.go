package peers

import (
	"cmp"
	"time"

	"github.com/momtree/mom/master/engine"
)

// Minions are the minions of an audience with what presence says of them;
// if they may have the job, or will be given it, those that are away get the time
// to come back.
func (s *Service) Minions(ids []string, await func(id string) bool) []engine.Minion {
	out := make([]engine.Minion, 0, len(ids))
	for _, id := range ids {
		at := s.Minion(s.managerOf(id))
		switch {
		case at.Stock && at.Live == engine.Up:
			at.Live = engine.Untracked // it is there, and has to be asked whether it works on the job
		case at.Stock: // it takes longer than ours to come back
			if at.Grace = min(at.Grace, s.stockWait()); !s.p.Keeps() {
				at.Grace = 0
			}
		case at.Grace > 0 && !await(s.managerOf(id)):
			at.Grace = 0
		}
		out = append(out, engine.Minion{ID: id, Live: at.Live, Grace: at.Grace, Doubt: at.Doubt})
	}
	return out
}

// managerOf gives the minion whose presence is that of an id: of a resource the one that
// manages it.
func (s *Service) managerOf(id string) string {
	if s.o.Manager == nil {
		return id
	}
	return cmp.Or(s.o.Manager(id), id)
}

// Lasting is Announced for a minion or a resource.
func (s *Service) Lasting(id string) (engine.Liveness, time.Duration) {
	return s.Announced(s.managerOf(id))
}

// Awaits tells whether a new job waits for a minion that is not connected: it comes
// back after our start, and the publication is kept for it.
func (s *Service) Awaits(id string) bool { return s.p.Keeps() && s.Returning(id) }

// LookAgain tells the ledger of those whose connection broke after the job was
// matched and before the ledger knew it: nothing else would end the wait.
func (s *Service) LookAgain(spec engine.Job) {
	for _, min := range spec.Minions {
		at := s.Minion(s.managerOf(min.ID))
		switch live := at.Live; {
		case at.Stock:
			if live == engine.Away && min.Live == engine.Untracked {
				s.p.Jobs.MinionDown(min.ID, s.stockWait())
			}
		case min.Live == engine.Up && live != engine.Up:
			s.p.Jobs.MinionDown(min.ID, 0)
		case min.Live == engine.Away && live == engine.Up: // it has heard the publication
			s.p.Jobs.MinionUp(min.ID, map[string]bool{spec.JID: true})
		}
	}
	for _, n := range spec.Nodes {
		switch live, _ := s.Node(n.ID); {
		case n.Live == engine.Up && live != engine.Up:
			s.p.Jobs.NodeDown(n.ID)
		case n.Live == engine.Away && live == engine.Up:
			s.p.Jobs.NodeUp(n.ID)
		}
	}
}

// stockWait is how long a job waits for a stock minion that has lost its connection: as
// long as it may take to come back, but no longer than Salt, which hears of no loss,
// waits for its answer.
func (s *Service) stockWait() time.Duration {
	return min(s.o.Config.PresenceReconnect, s.o.Config.Timeout+s.o.Config.GatherJobTimeout)
}

// Here serves max_minions: how many peers are there, and is this one.
func (s *Service) Here(id string) (all int, is bool) {
	return s.Connected(), s.Minion(id).Live == engine.Up
}

// Unannounced has a peer that is known to announce itself, is gone, and now talks without
// that, taken for one of Python's in its place. Only a request that proves its key tells
// that: a sign-in can be made with the public key alone.
func (s *Service) Unannounced(id string) {
	if live, _ := s.Announced(id); live == engine.Down {
		s.Forget(id)
	}
}
