package keys

import "time"

// renewal says when a shared key has to be replaced because somebody who knows it is not
// to read on. The zero value: not at all.
type renewal struct {
	at     time.Time // at the latest
	wanted bool
}

// RenewNow wants another key before the next publication.
func (s *Shared) RenewNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewal = renewal{wanted: true}
}

// RenewWithin wants another key within d of the first such call: where many leave one after
// the other, each new key would have all peers sign in again.
func (s *Shared) RenewWithin(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.renewal.wanted {
		s.renewal = renewal{at: s.now().Add(d), wanted: true}
	}
}

// RenewAt tells when the key has to be replaced at the latest, if it has to.
func (s *Shared) RenewAt() (at time.Time, wanted bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.renewal.at, s.renewal.wanted
}

// Renew replaces the key if it is time to, and tells whether it was. It is called before each
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
