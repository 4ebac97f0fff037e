package scheduler

// Bounds of the returns that wait in memory for the first master.
const (
	maxHeld      = 1000
	maxHeldBytes = 16 << 20
)

// heldReturn is a return that waits for a master.
type heldReturn struct {
	id   string
	load []byte
}

// push stores a return for each master. Without a master it holds the return for the next one,
// if the minion has any configured. If too many wait, the oldest are dropped.
func (s *Scheduler) push(id string, load []byte, masters []Master) {
	switch {
	case !s.o.Config.PubRet, len(masters) == 0 && s.o.Config.MasterType == "disable":
		return
	case len(masters) == 0:
		s.hold(heldReturn{id, load})
		return
	}
	for _, m := range masters {
		s.give(m, heldReturn{id, load})
	}
}

func (s *Scheduler) give(m Master, r heldReturn) {
	if err := m.Push(r.id, r.load); err != nil {
		s.o.Log.Error("scheduled job result lost", "jid", r.id, "master", m.Name(), "err", err)
	}
}

func (s *Scheduler) hold(r heldReturn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, r)
	size, given := 0, 0
	for _, h := range s.held {
		size += len(h.load)
	}
	for len(s.held) > 1 && (len(s.held) > maxHeld || size > maxHeldBytes) {
		size -= len(s.held[0].load)
		//mutant:schedule-held-bound
		s.held = s.held[1:]
		given++
	}
	if given > 0 {
		s.o.Log.Error("scheduled job results abandoned: master unreachable for too long", "count", given)
	}
}

// release passes the held returns to a master.
func (s *Scheduler) release(m Master) {
	s.mu.Lock()
	held := s.held
	s.held = nil
	s.mu.Unlock()
	for _, r := range held {
		s.give(m, r)
	}
}
