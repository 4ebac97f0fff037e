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
	// Running holds the jids the peer works on or still owes the return of.
	Running []string
	// Back tells of a minion that it comes home from a sibling.
	Back bool
	// Stock tells that nobody announced anything: a stock minion has answered over its
	// connection who it is. What it works on is not known.
	Stock bool
}

func (a Announcement) validate() error {
	if a.ID == "" || a.Session == "" || len(a.Session) > 255 {
		return fmt.Errorf("presence of %q: the session must be 1 to 255 bytes", a.ID)
	}
	if a.Role != Minion && a.Role != Syndic {
		return fmt.Errorf("presence of %s: role %q is neither minion nor syndic", a.ID, a.Role)
	}
	return nil
}
