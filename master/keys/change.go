package keys

import "github.com/momtree/mom/internal/crypt"

// Op is what happened to a key file.
type Op uint8

// The kinds of change. A key that moves from one folder to another is removed
// there and added here.
const (
	Added Op = iota
	Removed
	Replaced // the file holds another key now
)

func (o Op) String() string {
	return [...]string{"added", "removed", "replaced"}[o]
}

// Change is one change of the key folders, whoever made it: this process,
// salt-key in another one, or a person with an editor.
type Change struct {
	Key
	Op Op
	// Was names the key that is no longer there, zero where this life of the store has
	// never read it.
	Was crypt.FingerSum
}

// Revokes reports whether somebody who was trusted no longer is: an accepted key
// went away or was exchanged. The master then makes a new shared key and closes
// what the minion had open.
func (c Change) Revokes() bool { return c.State == Accepted && c.Op != Added }

// Accepts reports whether a minion is trusted from now on.
func (c Change) Accepts() bool { return c.State == Accepted && c.Op != Removed }

// Subscribe has fn called with every change from now on, one at a time and in
// order, by the goroutine that noticed it. fn may look keys up; it must be
// quick and must not change keys. The function returned ends the calls.
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

// tell is called with the lock change held and mu free.
func (s *Store) tell(c Change) {
	for _, fn := range s.subs {
		(*fn)(c)
	}
}
