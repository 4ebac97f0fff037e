package keys

import (
	"errors"
	"fmt"
)

// State is the folder of a key. One id may be in several at once: an accepted minion that came with a
// second key is also denied.
type State uint8

// The states, each a folder under pki_dir.
const (
	Accepted State = iota // minions
	Pending               // minions_pre
	Rejected              // minions_rejected
	Denied                // minions_denied: the last key that did not match
	Autosign              // minions_autosign: empty stubs, each accepts an id once
	numStates

	// Local stands for the master's own .pem and .pub files, of which only fingerprints are
	// shown.
	Local = numStates
)

// Listed are the states that `salt-key -L` shows, in the order of its JSON form.
var Listed = []State{Accepted, Pending, Rejected, Denied}

// ErrBadState is returned for an unknown name of a state.
var ErrBadState = errors.New("unknown key state")

var folders = [numStates + 1]string{
	"minions", "minions_pre", "minions_rejected", "minions_denied", "minions_autosign", "local",
}

// Folder returns the name of the state's folder, which is also its key in Salt's structured output;
// "local" for [Local].
func (s State) Folder() string {
	if int(s) >= len(folders) {
		return fmt.Sprintf("state(%d)", uint8(s))
	}
	return folders[s]
}

// String is [State.Folder].
func (s State) String() string { return s.Folder() }

// ParseState parses a folder name or an argument of `salt-key --list`.
func ParseState(word string) (State, error) {
	switch word {
	case "acc", "accepted", "minions":
		return Accepted, nil
	case "pre", "un", "unaccepted", "minions_pre":
		return Pending, nil
	case "rej", "rejected", "minions_rejected":
		return Rejected, nil
	case "den", "denied", "minions_denied":
		return Denied, nil
	}
	return 0, fmt.Errorf("%w %q: use accepted, unaccepted, rejected or denied", ErrBadState, word)
}

// Key is an id in a state.
type Key struct {
	State State
	ID    string
}

// Selection holds ids by state, sorted.
type Selection map[State][]string

// Len returns the number of selected keys.
func (s Selection) Len() int {
	n := 0
	for _, ids := range s {
		n += len(ids)
	}
	return n
}
