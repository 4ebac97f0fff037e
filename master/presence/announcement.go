package presence

import "fmt"

// Roles of a peer.
const (
	Minion = "minion"
	Syndic = "syndic"
)

// Announcement is what a peer says about itself in an authenticated request.
type Announcement struct {
	ID      string
	Session string
	Role    string
	Version string
	// Running lists the jids of jobs that run or whose return is not acknowledged.
	Running []string
	// Back says that a minion comes home from a sibling.
	Back bool
	// Stock marks a stock minion that identified itself when its connection was asked.
	// Its running jobs are not known.
	Stock bool
}

func (a Announcement) validate() error {
	if a.ID == "" || a.Session == "" || len(a.Session) > 255 {
		return fmt.Errorf("presence of %q: the session must have 1 to 255 bytes", a.ID)
	}
	if a.Role != Minion && a.Role != Syndic {
		return fmt.Errorf("presence of %s: role %q is neither minion nor syndic", a.ID, a.Role)
	}
	return nil
}
