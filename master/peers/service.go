package peers

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// Options of a [Service]. All are required.
type Options struct {
	Config *config.Master
	// Node is the id of this master in the tree, User its own user.
	Node, User string
	// Registry holds the connected peers; see [OpenRegistry].
	Registry *presence.Registry
	Keys     interface{ List(keys.State) []string }
	Policy   interface {
		IsMinion(id string) bool
		Join(id string) error
		ActsAsMinion(id string)
	}
	// Claims records which minions are behind which node.
	Claims interface {
		Report(n topology.Node)
		Change(n topology.Node, d topology.Delta)
	}
	// Jobs receives who is connected, Answers what minions say about a job.
	Jobs interface {
		MinionUp(id string, running map[string]bool)
		MinionDown(id string, wait time.Duration)
		StockUp(id string)
		NodeUp(id string)
		NodeDown(id string)
	}
	Answers interface {
		Found(jid, id string, running bool)
		Declined(jid, id string, data ...string)
	}
	Publications interface {
		// Heard returns how far publications have gone.
		Heard() presence.Before
		// Missed returns the jobs that an announcing peer missed and will receive, and the
		// fields of the answer for that; know is nil if it fetches none.
		Missed(id string, announced *wire.Map) (jids []string, know *wire.Map)
		// SendMissed sends a stock minion the publications that it missed. Its connection
		// subscribed at before.
		SendMissed(conn uint64, id string, before presence.Before)
		// Send sends to subscribers, SendPeer to one connection.
		Send(p wire.Publication, topics []string, to *zmtp.Choice) error
		SendPeer(conn uint64, plain []byte) error
	}
	// Keeps says that publications are kept for peers that are away.
	Keeps bool
	// Manager returns the minion that manages a resource, or "". May be nil without resources.
	Manager func(id string) string
	// Announced is called for minions that announced themselves.
	Announced func(a presence.Announcement)
	// Secret authenticates questions, over restarts. Signing limits uses of the private key;
	// Busy reports whether others wait for it.
	Secret  []byte
	Signing admission.Turns
	Busy    func() bool
	// JID returns the next jid of publications that are not jobs.
	JID  func() string
	Tree *topology.Tree
	Fire func(tag string, data *wire.Map)
	// Failing logs an error of something that is retried every second.
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Service tracks the peers of a master. It is safe for concurrent use.
type Service struct {
	*presence.Registry
	o       Options
	reports treewatch.Reports
	who     *Who
	probes  *Probes
	asks    *Gatherer
	saved   time.Time // when the list was written; one goroutine saves at a time
	list    [32]byte  // checksum of the written list
	frozen  atomic.Pointer[kept]
}

// New returns a service that receives the changes of its registry. Peers known from before the
// restart have their time to come back from now on.
func New(o Options) *Service {
	s := &Service{Registry: o.Registry, o: o, probes: NewProbes(o.Answers.Found)}
	s.asks = NewGatherer(s.ask)
	s.reports = treewatch.Reports{
		Node: o.Node, Tree: o.Tree, Claims: o.Claims, State: s.nodeState, Pruned: o.Config.PublishPrune, Log: o.Log, Now: o.Now,
	}
	s.who = NewWho(WhoOptions{
		JID: o.JID, Secret: o.Secret, Ask: s.askWho, Off: !o.Config.PresenceAsk, Window: o.Config.Bounds.AskWindow, Busy: o.Busy,
	})
	s.Begin(changes{s})
	return s
}

// Run identifies connections, notices peers that are gone, and saves the list, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.who.Run(ctx)
	}()
	defer func() { <-done }()
	defer s.asks.Close()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	var events <-chan time.Time
	if s.o.Config.PresenceEvents {
		every := time.NewTicker(s.o.Config.LoopInterval)
		defer every.Stop()
		events = every.C
	}
	var seen presence.Snapshot
	sure := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			s.firePresence(&seen)
		case <-second.C:
			s.missLost()
			sure = s.missAbsent(sure)
			if err := s.save(false); err != nil {
				s.o.Failing("list of known peers not written", err)
			}
		}
	}
}

// Freeze fixes who is connected for the saved list. Call it before closing connections at the end.
func (s *Service) Freeze() {
	if s != nil {
		known, sure := s.Export()
		s.frozen.Store(&kept{known, sure})
	}
}

// Close stops questions and saves the list.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	s.asks.Close()
	return s.save(true)
}

var commands server.Set[*Service]

// Commands returns the commands by which peers announce themselves.
func Commands() []server.Command { return commands.Commands() }

// Serve registers the commands with a server.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
