package keys

import "github.com/momtree/mom/internal/crypt"

// Op is what happened to a key file.
type Op uint8

// The kinds of change. A key that moves to another folder is removed from one and added to the
// other.
const (
	Added Op = iota
	Removed
	Replaced // the file holds another key now
)

func (o Op) String() string {
	return [...]string{"added", "removed", "replaced"}[o]
}

// Change is one change of the key folders, by this process, salt-key in another one, or an editor.
type Change struct {
	Key
	Op Op
	// Was is the key that is gone, or zero if this process has never read it.
	Was crypt.FingerSum
}

// Revokes reports whether an accepted key was removed or replaced. The master then rotates the shared
// key and closes the connections of the minion.
func (c Change) Revokes() bool { return c.State == Accepted && c.Op != Added }

// Accepts reports whether a minion is accepted from now on.
func (c Change) Accepts() bool { return c.State == Accepted && c.Op != Removed }

// Subscribe calls fn with every change, one at a time and in order. fn may read the store; it must
// not block and must not change keys. cancel ends the calls.
func (s *Store) Subscribe(fn func(Change)) (cancel func()) {
	s.change.Lock()
	defer s.change.Unlock()
	sub := &fn
	s.subs = append(s.subs, sub)
	return func() {
		s.change.Lock()
		defer s.change.Unlock()
		for i, have := range s.subs {
			if have == sub {
				s.subs = append(s.subs[:i:i], s.subs[i+1:]...)
				return
			}
		}
	}
}

// notify calls the subscribers. The caller holds the lock change, but not mu.
func (s *Store) notify(c Change) {
	for _, fn := range s.subs {
		(*fn)(c)
	}
}
