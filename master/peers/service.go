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
	"github.com/momtree/mom/master/findjob"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// Options of a [Service]. All are required.
type Options struct {
	Config *config.Master
	// Node is the id of this master in the tree.
	Node string
	Keys interface{ List(keys.State) []string }
	// Manager returns the minion that manages a resource, or ""; nil if there are none.
	Manager func(id string) string
	Tree    *topology.Tree
	Fire    func(tag string, data *wire.Map)
	// Failing logs an error of something that is retried every second.
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Parts are the parts of the master that depend on the service, so they are set later, by
// [Service.Join]. All are required.
type Parts struct {
	Policy interface {
		IsNode(id string) bool
		IsMinion(id string) bool
		Join(id string) error
		ActsAsMinion(id string)
	}
	// Claims records which minions are behind which node.
	Claims interface {
		Report(n topology.Node)
		Change(n topology.Node, d topology.Delta)
	}
	Jobs interface {
		MinionUp(id string, running map[string]bool)
		MinionDown(id string, wait time.Duration)
		StockUp(id string)
		NodeUp(id string)
		NodeDown(id string)
		Found(jid, id string, running bool)
		Declined(jid, id string, data ...string)
	}
	// Announced is called for minions that announced themselves.
	Announced func(a presence.Announcement)

	// Keeps reports whether publications are kept for peers that are away.
	Keeps func() bool
	// Heard returns how far publications have gone.
	Heard func() presence.Before
	// Missed returns the jobs that an announcing peer missed and will receive, and the
	// fields of the answer for that; know is nil if it fetches none.
	Missed func(id string, announced *wire.Map) (jids []string, know *wire.Map)
	// SendMissed sends a stock minion the publications that it missed. Its connection
	// subscribed at before.
	SendMissed func(conn uint64, id string, before presence.Before)

	// Secret authenticates questions, over restarts. Signing limits uses of the private key;
	// Busy reports whether others wait for it.
	Secret  []byte
	Signing admission.Turns
	Busy    func() bool
	// User and JID return the user and the next jid of publications that are not jobs.
	// Publish sends to subscribers, Send to one connection.
	User    string
	JID     func() string
	Publish func(p wire.Publication, topics []string, to *zmtp.Choice) error
	Send    func(conn uint64, plain []byte) error
}

// Service tracks the peers of a master. It is safe for concurrent use.
type Service struct {
	*presence.Registry
	o       Options
	p       Parts
	reports treewatch.Reports
	who     *findjob.Who
	probes  *findjob.Probes
	asks    *findjob.Gatherer
	saved   time.Time // when the list was written; one goroutine saves at a time
	list    [32]byte  // checksum of the written list
	frozen  atomic.Pointer[kept]
}

// Open reads the peers known before the restart. The service answers queries at once; peers may
// connect after [Service.Join].
func Open(o Options) *Service {
	known, sure, err := load(o.Config.Cachedir, o.Now())
	if err != nil { // the list is rewritten with the next change
		o.Log.Warn("list of known peers ignored", "err", err)
	}
	s := &Service{o: o}
	s.Registry = presence.New(presence.Config{
		Known: known, Sure: sure, Up: s.up, Down: s.down, Now: o.Now, Asks: o.Config.PresenceAsk, Reconnect: o.Config.PresenceReconnect,
		Position: func() int64 { return s.p.Heard().Position },
	})
	s.asks = findjob.NewGatherer(s.ask)
	return s
}

// Join sets the other parts of the master. Peers may connect now, and those known from before the
// restart have their time to come back.
func (s *Service) Join(p Parts) {
	s.p = p
	s.reports = treewatch.Reports{
		Node: s.o.Node, Tree: s.o.Tree, Claims: p.Claims, State: s.nodeState, Pruned: s.o.Config.PublishPrune, Log: s.o.Log, Now: s.o.Now,
	}
	s.probes = findjob.NewProbes(p.Jobs.Found)
	s.who = findjob.NewWho(findjob.WhoOptions{
		JID: p.JID, Secret: p.Secret, Ask: s.askWho, Off: !s.o.Config.PresenceAsk, Window: s.o.Config.Bounds.AskWindow, Busy: p.Busy,
	})
	s.Begin()
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
