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

// Options of a [Service]. None may be left out.
type Options struct {
	Config *config.Master
	// Node is the id of this master in the tree.
	Node string
	Keys interface{ List(keys.State) []string }
	// Manager gives the minion that manages a resource, "" if none does; nil: none does.
	Manager func(id string) string
	Tree    *topology.Tree
	Fire    func(tag string, data *wire.Map)
	// Failing logs what is tried again every second.
	Failing func(what string, err error, about ...any)
	Log     *slog.Logger
	Now     func() time.Time
}

// Parts are those of the master that ask who is there themselves, so that they come
// later. None may be left out.
type Parts struct {
	Policy interface {
		IsNode(id string) bool
		IsMinion(id string) bool
		Join(id string) error
		ActsAsMinion(id string)
	}
	// Claims are who is behind which node.
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
	// Announced is told of minions that have announced themselves.
	Announced func(a presence.Announcement)

	// Keeps tells whether publications are kept for peers that are away.
	Keeps func() bool
	// Heard is how far publications have gone by now.
	Heard func() presence.Before
	// Missed gives the jobs that a peer which announces itself is going to be given, since
	// it did not hear them, and what it has to know for that; nil: it fetches none.
	Missed func(id string, announced *wire.Map) (jids []string, know *wire.Map)
	// GiveMissed gives a stock minion what it did not hear over a connection, which
	// subscribed when publications had gone as far as that.
	GiveMissed func(conn uint64, id string, before presence.Before)

	// Secret marks questions, over restarts; Signing bounds who uses the private key, and
	// Busy tells that others wait for it.
	Secret  []byte
	Signing admission.Turns
	Busy    func() bool
	// User and JID are the user and the next job id of publications that are no jobs.
	// Publish sends one, Send one to a single connection.
	User    string
	JID     func() string
	Publish func(p wire.Publication, topics []string, to *zmtp.Choice) error
	Send    func(conn uint64, plain []byte) error
}

// Service is what a master does about its peers. It is safe for concurrent use.
type Service struct {
	*presence.Registry
	o       Options
	p       Parts
	reports treewatch.Reports
	who     *findjob.Who
	probes  *findjob.Probes
	asks    *findjob.Gatherer
	saved   time.Time // when the list of who is known was written; one goroutine at a time saves
	list    [32]byte  // a sum of what it says
	frozen  atomic.Pointer[kept]
}

// Open reads who was there in an earlier life. Until [Service.Join] the service can be
// asked, and nobody may connect.
func Open(o Options) *Service {
	known, sure, err := load(o.Config.Cachedir, o.Now())
	if err != nil { // it is only a memory, and written anew with the next change
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

// Join joins the service to the rest of the master. From now on peers may come, and those
// of the earlier life have their time to come back.
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

// Run asks who hangs on connections, follows who is gone for good, and keeps the list of
// who is known, until ctx ends.
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
	var roll presence.Snapshot
	sure := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
			s.tellPresence(&roll)
		case <-second.C:
			s.missLost()
			sure = s.missAbsent(sure)
			if err := s.save(false); err != nil {
				s.o.Failing("The list of known peers could not be written", err)
			}
		}
	}
}

// Freeze has the list of who is known tell who is connected now, whoever loses a connection
// from now on: this master ends.
func (s *Service) Freeze() {
	if s != nil {
		known, sure := s.Export()
		s.frozen.Store(&kept{known, sure})
	}
}

// Close ends the questions and writes the list of who is known.
func (s *Service) Close() error {
	if s == nil {
		return nil
	}
	s.asks.Close()
	return s.save(true)
}

var commands server.Set[*Service]

// Commands are those by which peers say that they are there.
func Commands() []server.Command { return commands.Commands() }

// Serve has a server take them.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }
