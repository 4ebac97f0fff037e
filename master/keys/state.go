package keys

import (
	"errors"
	"fmt"
)

// State says in which key folder a key lies. One id may be in several at once:
// an accepted minion that came with a second key is also denied.
type State uint8

// The states, each a folder under pki_dir (Salt wire reference §5.2).
const (
	Accepted State = iota // minions
	Pending               // minions_pre
	Rejected              // minions_rejected
	Denied                // minions_denied: the last key that did not match
	Autosign              // minions_autosign: empty stubs, each accepts an id once
	numStates

	// Local stands for the master's own .pem and .pub files, which only
	// fingerprints are made of.
	Local = numStates
)

// Listed are the states `salt-key -L` shows, in the order of its JSON form.
var Listed = []State{Accepted, Pending, Rejected, Denied}

// ErrBadState is returned for a word that names no state.
var ErrBadState = errors.New("unknown key state")

var folders = [numStates + 1]string{
	"minions", "minions_pre", "minions_rejected", "minions_denied", "minions_autosign", "local",
}

// Folder is the name of the state's folder, which is also its key in Salt's
// structured output; "local" for [Local].
func (s State) Folder() string {
	if int(s) >= len(folders) {
		return fmt.Sprintf("state(%d)", uint8(s))
	}
	return folders[s]
}

// String is [State.Folder].
func (s State) String() string { return s.Folder() }

// ParseState reads the words `salt-key --list` takes, and folder names.
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

// Key names one key: an id in a state.
type Key struct {
	State State
	ID    string
}

// Selection names keys by state; ids are sorted.
type Selection map[State][]string

// Len is the number of keys selected.
func (s Selection) Len() int {
	n := 0
	for _, ids := range s {
		n += len(ids)
	}
	return n
}
