package publications

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// Options of a [Service]. None may be left out.
type Options struct {
	Config *config.Master
	Keys   interface {
		// Seal seals a publication, numbered by number, and hands it to send.
		Seal(p wire.Publication, number func(*wire.Publication), send func(body []byte) error) error
		Envelope(cipher []byte) ([]byte, error)
	}
	Key func() *crypt.Crypticle // the shared one of now
	// Port is the publish port; it is opened last.
	Port func() Port

	Store interface {
		Local() returners.Reader
		Embedded() jobstore.Embedded
		Save(ctx context.Context, b returners.Batch) (returners.Result, error)
		Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
	}
	Jobs interface {
		Keeps(p returners.Part, queued bool)
		Unkeep(parts ...returners.Part)
		Given(jid, id string)
		GivenNode(jid, id string)
		GivenStock(jid, id string)
		Overdue(jid, reason string, minions map[string]string)
		State(jid string) (engine.Account, bool)
		Owes(jid, id string) bool
		OwesNode(jid, id string) bool
		Unheard(jid, id string) bool
	}
	// Nodes are those right below; Ask asks them all.
	Nodes func() []string
	Ask   func(ctx context.Context, what string, arg any) (map[string]nodecall.Answer, error)
	// Known are the connections of which it is known who is behind them, NodeConns those of
	// nodes of ours, MinionConns those of one minion.
	Known, NodeConns func() map[uint64]bool
	MinionConns      func(id string) []uint64
	// Unheard tells by its connections whether a stock minion has certainly not heard
	// what was published at a position of this life.
	Unheard func(conn uint64, id string, at int64) bool
	// Age is the time by which is told how old something is, Steady whether it can be.
	Age    func() time.Time
	Steady func() bool
	// Given counts publications that are given again.
	Given *atomic.Uint64
	Log   *slog.Logger
	Now   func() time.Time
}

// Port is a publish port.
type Port interface {
	SendTo(topic string, body []byte, to *zmtp.Choice) error
	SendPeer(conn uint64, topic string, body []byte) error
}

// Service is safe for concurrent use.
type Service struct {
	*retention.Queues
	o     Options
	late  *retention.Republisher
	diary *retention.Journal
}

// republishFor is how long after a start jobs that an earlier life stored and
// did not publish are published to whoever subscribes: peers that do not announce
// themselves can be reached in no other way.
const republishFor = 30 * time.Second

// Republished is the time by which a job waits longer for minions that are given it when
// they subscribe after a start.
const Republished = republishFor / 2

// Open reads what an earlier life has kept.
func Open(ctx context.Context, o Options) (*Service, error) {
	s := &Service{o: o}
	var err error
	s.diary, err = retention.OpenJournal(retention.JournalOptions{Path: filepath.Join(o.Config.Cachedir, "diary"), Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, err
	}
	if err := retention.TakeOver(ctx, filepath.Join(o.Config.Cachedir, "publications"), o.Store.Local(), o.Store.Save); err != nil {
		return nil, errors.Join(err, s.diary.Close())
	}
	kept, err := retention.Open(ctx, retention.Options{
		Keep: o.Config.PublishRetention, MaxBytes: o.Config.PublishRetentionMaxBytes, Log: o.Log, Now: o.Now, Age: o.Age, Steady: o.Steady,
		Found: o.Jobs.Keeps, Dropped: o.Jobs.Unkeep,
	}, o.Store.Embedded())
	if err != nil {
		return nil, errors.Join(err, s.diary.Close())
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

// Close publishes no more to who comes late, and has the disk take what was noted.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	s.late.Close()
	return s.diary.Close()
}

// Subscribed tells that somebody has subscribed, SignedIn that somebody has signed in.
func (s *Service) Subscribed() { s.late.Subscribed() }

// SignedIn is described at [Service.Subscribed].
func (s *Service) SignedIn(id string) { s.diary.SignedIn(id) }

var commands server.Set[*Service]

// Commands are those by which peers fetch what they did not hear.
func Commands() []server.Command { return commands.Commands() }

// Serve has a server take them.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
