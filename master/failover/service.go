package failover

import (
	"context"
	"crypto/rsa"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// Options of a [Service]. None may be left out.
type Options struct {
	Config *config.Master
	// Node is the id of this node in the tree, and Pair signs what it says.
	Node string
	Pair *crypt.KeyPair
	// Signing bounds who uses the private key.
	Signing admission.Turns
	// Port gives the one that peers ask.
	Port func() int

	Keys interface {
		PublicKey(id string) (*rsa.PublicKey, error)
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
		List(keys.State) []string
		Delete(ids ...string) ([]keys.Key, error)
		RejectIn(keys.Selection) ([]keys.Key, error)
	}
	Shared interface{ RenewNow() }
	Roles  interface {
		Of(id string) roles.Role
		Admitted(id string) bool
		Orphans() map[string]crypt.FingerSum
	}
	IsNode   func(id string) bool
	Presence interface {
		Up(id string) bool
		Minion(id string) presence.Standing
		Audience(nodes bool) (minions, syndics int, conns map[uint64]bool)
	}
	Tree interface {
		SetProblem(p topology.Problem, about string, on bool) (changed bool)
	}
	Jobs interface {
		Adopt(ctx context.Context, jid, id string) error
		MinionDown(id string, wait time.Duration)
		NodeDown(id string)
	}
	// Owed counts the returns that wait for the masters above.
	Owed func() int64

	// Acts notes that a peer acts as a minion, or as a node, which it may be refused.
	Acts func(id string, node bool) error
	// Refused is told what a peer claims and may not have.
	Refused func(ownership.Trespass)
	Fire    func(tag string, data *wire.Map)
	// Publish sends a publication over some connections.
	Publish func(p wire.Publication, conns map[uint64]bool) error
	// Failing logs what is tried again every second.
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Service is all that a master does for failover. The nil Service is that of a master with
// rehome: False: it knows of no guest, believes no voucher and tells nothing.
type Service struct {
	Options
	peers   *registry
	revoked *revocations
	turns   turns
	// above has all peers told that they should ask again, since the lists of the masters
	// above have changed; below the nodes right below, since what they are told of each
	// other has.
	above, below *notifier
}

// New opens what an earlier life has kept. It gives nil if the option rehome is off and none
// is left of whom that life has let in: without that, they were this node's own for ever.
func New(o Options) (*Service, error) {
	s := &Service{Options: o}
	var err, lost error
	if s.peers, lost = openRegistry(o.Config.Cachedir, o.Now); lost != nil { // told anew by every node, and by the masters above
		o.Log.Warn("sibling state ignored", "err", lost)
	}
	if s.revoked, err = openRevocations(o.Config.PkiDir, o.Node, o.Config.Bounds.GoneKeys, o.Log, o.Now); err != nil {
		return nil, err
	}
	//mutant:failover-off-is-off
	if !o.Config.Rehome && lost == nil && s.peers.empty() && s.revoked.empty() && !s.Draining() {
		return nil, errors.Join(s.peers.remove(), s.revoked.remove())
	}
	s.above, s.below = newNotifier(func() time.Duration { return s.tell(false) }), newNotifier(func() time.Duration { return s.tell(true) })
	s.revokeOrphans()
	s.showDraining()
	return s, nil
}

// Run sends news to peers and lets guests go that have left, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	if s == nil {
		return
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { s.above.Run(ctx) })
	wg.Go(func() { s.below.Run(ctx) })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.sweep()
		}
	}
}

// Close has the disk take what was noted.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	return s.revoked.Close()
}

// Serve has a server answer the questions of peers.
func (s *Service) Serve(srv *server.Server) {
	if s != nil && s.Config.Rehome {
		commands.AddTo(srv, s)
	}
}

func (s *Service) up(id string) bool { return s.Presence.Up(id) }
