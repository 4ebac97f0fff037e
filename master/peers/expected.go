package peers

import (
	"cmp"
	"time"

	"github.com/momtree/mom/master/engine"
)

// Minions returns the minions of a job with their presence. Those that are away get time to come
// back if await returns true for them.
func (s *Service) Minions(ids []string, await func(id string) bool) []engine.Minion {
	out := make([]engine.Minion, 0, len(ids))
	for _, id := range ids {
		at := s.Minion(s.managerOf(id))
		switch {
		case at.Stock && at.Live == engine.Up:
			at.Live = engine.Untracked // connected, but must be asked whether it runs the job
		case at.Stock: // it reconnects more slowly than minions of mom
			if at.Grace = min(at.Grace, s.stockWait()); !s.o.Keeps {
				at.Grace = 0
			}
		case at.Grace > 0 && !await(s.managerOf(id)):
			at.Grace = 0
		}
		out = append(out, engine.Minion{ID: id, Live: at.Live, Grace: at.Grace, Doubt: at.Doubt})
	}
	return out
}

// managerOf returns the minion that manages a resource, or id itself.
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

// Runs reports whether a connected minion, or that of a resource, announced a job as running when
// it connected.
func (s *Service) Runs(id, jid string) bool { return s.Registry.Runs(s.managerOf(id), jid) }

// Awaits reports whether a new job waits for a minion that is not connected: it may come back
// after this master's start, and the publication is kept for it.
func (s *Service) Awaits(id string) bool { return s.o.Keeps && s.Returning(id) }

// LookAgain reports to the jobs the minions and nodes whose connection changed between the match
// and the start of the job. Nothing else would end the wait for them.
func (s *Service) LookAgain(spec engine.Job) {
	for _, min := range spec.Minions {
		at := s.Minion(s.managerOf(min.ID))
		switch live := at.Live; {
		case at.Stock:
			if live == engine.Away && min.Live == engine.Untracked {
				s.o.Jobs.MinionDown(min.ID, s.stockWait())
			}
		case min.Live == engine.Up && live != engine.Up:
			s.o.Jobs.MinionDown(min.ID, 0)
		case min.Live == engine.Away && live == engine.Up: // it received the publication
			s.o.Jobs.MinionUp(min.ID, map[string]bool{spec.JID: true})
		}
	}
	for _, n := range spec.Nodes {
		switch live, _ := s.Node(n.ID); {
		case n.Live == engine.Up && live != engine.Up:
			s.o.Jobs.NodeDown(n.ID)
		case n.Live == engine.Away && live == engine.Up:
			s.o.Jobs.NodeUp(n.ID)
		}
	}
}

// stockWait is how long a job waits for a disconnected stock minion: as long as it may take to
// reconnect, but no longer than Salt, which does not notice the loss, waits for its answer.
func (s *Service) stockWait() time.Duration {
	return min(s.o.Config.PresenceReconnect, s.o.Config.Timeout+s.o.Config.GatherJobTimeout)
}

// Here returns the number of connected peers, and whether id is one of them, for max_minions.
func (s *Service) Here(id string) (all int, is bool) {
	return s.Connected(), s.Minion(id).Live == engine.Up
}

// Unannounced forgets a peer that announced itself, is down, and now sends requests without that:
// a Python minion has replaced it. Call it only for requests that prove the key; a sign-in does not.
func (s *Service) Unannounced(id string) {
	if live, _ := s.Announced(id); live == engine.Down {
		s.Forget(id)
	}
}
