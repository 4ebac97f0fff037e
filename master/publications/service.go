package publications

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// Options configures a [Service]. All fields are required.
type Options struct {
	Config *config.Master
	Keys   interface {
		// Seal encrypts a publication, numbered by number, and passes it to send.
		Seal(p wire.Publication, number func(*wire.Publication), send func(body []byte) error) error
		Envelope(cipher []byte) ([]byte, error)
	}
	Key  func() *crypt.Crypticle // returns the current shared key
	Port Port
	// Journal records the order of publications and sign-ins. Its opener closes it.
	Journal *retention.Journal

	Store interface {
		Local() returners.Reader
		Embedded() jobstore.Embedded
		Save(ctx context.Context, b returners.Batch) (returners.Result, error)
		Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
	}
	// Jobs holds the accounts of jobs.
	Jobs interface {
		State(jid string) (engine.Account, bool)
		Expects(jid, id string) bool
		ExpectsNode(jid, id string) bool
		NotDelivered(jid, id string) bool
		Overdue(jid, reason string, minions map[string]string)
	}
	// Delivery is notified of publications that are kept and sent again.
	Delivery interface {
		KeepPublication(p returners.Part, queued bool)
		DropPublications(parts ...returners.Part)
		Redelivered(jid, id string)
		RedeliveredNode(jid, id string)
		RedeliveredStock(jid, id string)
	}
	// Nodes returns the nodes directly below.
	Nodes func() []string
	// MayHaveNodes reports whether any peer may be a node, a Python syndic for instance.
	MayHaveNodes func() bool
	// Known returns the identified connections, NodeConns those of mom nodes, MinionConns those of
	// one minion.
	Known, NodeConns func() map[uint64]bool
	MinionConns      func(id string) []uint64
	// StockConns returns the connections of stock minions that have answered, OwnConns those of all peers of mom.
	StockConns, OwnConns func() map[uint64]bool
	// Unheard reports whether a stock minion has certainly not received, by its connections, what
	// was published at a position of this run.
	Unheard func(conn uint64, id string, at int64) bool
	// WasStock reports whether a minion was connected as a stock minion at a position or later.
	WasStock func(id string, at int64) bool
	// Age returns the clock for ages, Steady whether it is reliable.
	Age    func() time.Time
	Steady func() bool
	// Given counts redelivered publications.
	Given *atomic.Uint64
	Log   *slog.Logger
	Now   func() time.Time
}

// Port is a publish port.
type Port interface {
	SendTo(topic string, body []byte, to *zmtp.Choice) error
	SendPeer(conn uint64, topic string, body []byte) error
	// Selects reports whether a connected peer is selected.
	Selects(to *zmtp.Choice) bool
}

// Service sends and redelivers publications. It is safe for concurrent use.
type Service struct {
	*retention.Queues
	o       Options
	late    *retention.Republisher
	journal *retention.Journal
}

// republishFor is how long after a start unsent jobs of a previous run are published to new
// subscribers. Peers that do not announce themselves cannot be reached otherwise.
const republishFor = 30 * time.Second

// Republished extends the timeout of such jobs.
const Republished = republishFor / 2

// Open opens the service with the stored publications.
func Open(ctx context.Context, o Options) (*Service, error) {
	s := &Service{o: o, journal: o.Journal}
	kept, err := retention.Open(ctx, retention.Options{
		Keep: o.Config.PublishRetention, MaxBytes: o.Config.PublishRetentionMaxBytes, Log: o.Log, Now: o.Now, Age: o.Age, Steady: o.Steady,
		Found: o.Delivery.KeepPublication, Dropped: o.Delivery.DropPublications,
	}, o.Store.Embedded())
	if err != nil {
		return nil, err
	}
	s.Queues = retention.NewQueues(kept, retention.QueuesOptions{
		Jobs: o.Jobs, Store: o.Store.Embedded(), Nodes: o.Nodes, Log: o.Log,
	})
	s.late = retention.NewRepublisher(retention.RepublisherOptions{
		For: republishFor, Publish: s.publishAgain, Log: o.Log, Now: o.Now,
		Open: func(jid string) bool { a, ok := o.Jobs.State(jid); return ok && a.Open() },
	})
	return s, nil
}

// Close stops redelivery.
func (s *Service) Close() { s.late.Close() }

// Subscribed reports a new subscriber.
func (s *Service) Subscribed() { s.late.Subscribed() }

// SignedIn reports that a peer has signed in.
func (s *Service) SignedIn(id string) { s.journal.SignedIn(id) }

var commands server.Set[*Service]

// Commands returns the commands for fetching missed publications.
func Commands() []server.Command { return commands.Commands() }

// Serve registers the commands on srv.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
