package failover

import (
	"context"
	"crypto/rsa"
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

// Options of a [Service]. All are required.
type Options struct {
	Config *config.Master
	// State is what [Open] returned.
	State *State
	// Node is the id of this node in the tree; Pair signs its vouchers and lists.
	Node string
	Pair *crypt.KeyPair
	// Signing limits concurrent uses of the private key.
	Signing admission.Turns
	// Port returns the port for requests of peers.
	Port func() int

	Keys interface {
		PublicKey(id string) (*rsa.PublicKey, error)
		Sum(id string) (crypt.FingerSum, error)
		Accepted(id string) bool
		List(keys.State) []string
	}
	// Editor removes keys.
	Editor interface {
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
	// PendingReturns counts the returns that the parents have not acknowledged.
	PendingReturns func() int64

	// Acts records that a peer acts as a minion or a node. It returns an error if it may not.
	Acts func(id string, node bool) error
	// Refused reports a claim that was rejected.
	Refused func(ownership.Trespass)
	Fire    func(tag string, data *wire.Map)
	// Publish sends a publication over the given connections.
	Publish func(p wire.Publication, conns map[uint64]bool) error
	// Failing logs an error of something that is retried every second.
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Service implements failover for one master. A master with rehome: False has a nil Service,
// which has no guests and accepts no voucher.
type Service struct {
	Options
	peers   *registry
	revoked *revocations
	turns   turns
	// above notifies all peers after the lists of the parents changed; below notifies the
	// child nodes after what they receive about each other changed.
	above, below *notifier
}

// New returns a service, or nil if there is no state.
func New(o Options) *Service {
	if o.State == nil {
		return nil
	}
	s := &Service{Options: o, peers: o.State.peers, revoked: o.State.revoked}
	s.above, s.below = newNotifier(func() time.Duration { return s.notify(false) }), newNotifier(func() time.Duration { return s.notify(true) })
	s.revokeOrphans()
	s.showDraining()
	return s
}

// Run notifies peers and removes guests that have left, until ctx ends.
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

// Serve registers the commands with a server.
func (s *Service) Serve(srv *server.Server) {
	if s != nil && s.Config.Rehome {
		commands.AddTo(srv, s)
	}
}

func (s *Service) up(id string) bool { return s.Presence.Up(id) }
