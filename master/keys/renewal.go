package keys

import "time"

// renewal says when the shared key must be replaced because somebody who knows it is revoked. The
// zero value means not at all.
type renewal struct {
	at     time.Time // at the latest
	wanted bool
}

// RenewNow requests a new key before the next publication.
func (s *Shared) RenewNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewal = renewal{wanted: true}
}

// RenewWithin requests a new key within d of the first call. All peers sign in again after each
// rotation, so peers that leave one after the other share one.
func (s *Shared) RenewWithin(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.renewal.wanted {
		s.renewal = renewal{at: s.now().Add(d), wanted: true}
	}
}

// RenewAt returns when the key must be replaced at the latest, if it must.
func (s *Shared) RenewAt() (at time.Time, wanted bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.renewal.at, s.renewal.wanted
}

// Renew replaces the key if that is due, and reports whether it was. It is called before each
// publication.
func (s *Shared) Renew() (due bool, err error) {
	if at, wanted := s.RenewAt(); !wanted || s.now().Before(at) {
		return false, nil
	}
	s.renewing.Lock()
	defer s.renewing.Unlock()
	if _, wanted := s.RenewAt(); !wanted { // another publication has done it
		return false, nil
	}
	return true, s.Rotate()
}
