package failover

import (
	"errors"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/presence"
)

// State is what failover keeps on disk: siblings, children, guests and revoked keys. A master
// without failover has a nil State, which has no guests. It is safe for concurrent use.
type State struct {
	peers   *registry
	revoked *revocations
	up      func(id string) bool
}

// StateOptions configure a [State]. All are required.
type StateOptions struct {
	Config *config.Master
	Node   string // id of this node in the tree
	// Up reports whether a peer that announces itself is connected.
	Up  func(id string) bool
	Log *slog.Logger
	Now func() time.Time
}

// Open reads the state. It returns nil if the option rehome is off and no guest is left: while
// there are guests, their keys have to be removed when they leave.
func Open(o StateOptions) (*State, error) {
	s := &State{up: o.Up}
	var err, lost error
	if s.peers, lost = openRegistry(o.Config.Cachedir, o.Now); lost != nil { // nodes and parents report again
		o.Log.Warn("sibling state ignored", "err", lost)
	}
	if s.revoked, err = openRevocations(o.Config.PkiDir, o.Node, o.Config.Bounds.GoneKeys, o.Log, o.Now); err != nil {
		return nil, err
	}
	//mutant:failover-off-is-off
	if !o.Config.Rehome && lost == nil && s.peers.empty() && s.revoked.empty() && !draining(o.Config.Cachedir) {
		return nil, errors.Join(s.peers.remove(), s.revoked.remove())
	}
	return s, nil
}

// Absent reports whether an accepted id is a guest that is not connected here. No job waits
// for it here: its home, or the parent of its home, reports it missing. One of this node's
// own that is away is missed here, unless a sibling speaks for it.
func (s *State) Absent(id string) bool {
	if s == nil {
		return false
	}
	_, guest := s.peers.GuestOf(id)
	return guest && !s.up(id)
}

// MayBeNode reports why an accepted id may not be a node, or nil. A guest has the role that
// it has at its home.
func (s *State) MayBeNode(id string) error {
	if s == nil {
		return nil
	}
	if role, guest := s.peers.RoleOf(id); guest && role != presence.Syndic {
		return errors.New("it is a guest, and a minion at its home")
	}
	return nil
}

// Close syncs the revoked keys.
func (s *State) Close() error {
	if s == nil {
		return nil
	}
	return s.revoked.Close()
}
