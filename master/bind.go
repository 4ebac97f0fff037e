package master

import (
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/resources"
)

// bind opens the event sockets, then both ports: a client that can publish must find the bus open.
func (m *Master) bind() (err error) {
	m.ipc, err = bus.Serve(m.bus, bus.ServerConfig{
		SockDir: m.cfg.SockDir, PubName: "master_event_pub.ipc", PullName: "master_event_pull.ipc",
		Framing: bus.Framing(m.cfg.IpcFraming), IPCMode: m.cfg.IpcMode, PubPort: m.cfg.TcpMasterPubPort, PullPort: m.cfg.TcpMasterPullPort,
		Log: m.log,
	})
	if err != nil {
		return fmt.Errorf("open the event sockets: %w", err)
	}
	if err := m.ports.ListenPublish(subscribers{m}); err != nil {
		return err
	}
	m.policy.ShowAccepted()
	m.addCommands()
	return m.ports.ListenReturn(m.server.Receive)
}

// addCommands registers all commands with the server.
func (m *Master) addCommands() {
	commands.AddTo(&commands.Parts{
		Config: m.cfg, Server: m.server, User: m.access.Own,
		Keys: m.keys, Gate: m.keys.Gate(m.ports.Publish(), m.access.Own, m.failover.Vouched, m.peers.Here),
		SignedIn: func(id string) {
			m.peers.SignedIn(id)
			//mutant:sign-in-proves-nothing
			m.publications.SignedIn(id)
		},
		Access: m.access, Audit: m.audit.Note, Tokens: m.logins,
		Data: m.data, Trespassed: m.policy.Trespassed, Unserved: m.unserved, Pillars: m.pillars, MayAnswer: m.policy.MayAnswer, Tops: m.tops, Files: m.files, Inbox: m.inbox, Runners: m.runners, Wheels: m.wheels, Jobs: m.jobs, Store: m.store, Load: m.jobLoad, Publisher: m.publisher, Batches: m.batches, Tree: m.reported, JIDs: m.jids,
		SignIns: &m.signedIn, Stats: &m.stats, Fire: m.fire, Log: m.log, Now: m.now,
	})
	m.intake.Serve(m.server)
	m.below.Serve(m.server)
	m.mine.Serve(m.server)
	(&resources.Service{Registry: m.resources, Trespassed: m.policy.Trespassed, Refreshed: m.resourcesRefreshed}).Serve(m.server)
	m.peerCalls.Serve(m.server)
	m.publisher.Serve(m.server)
	m.peers.Serve(m.server)
	m.publications.Serve(m.server)
	m.failover.Serve(m.server)
	if m.cluster != nil {
		m.cluster.Serve(m.server)
	}
}

// subscribers passes subscriptions on to presence and publications.
type subscribers struct{ m *Master }

// Subscribe implements [server.Subscribers].
func (s subscribers) Subscribe(p *zmtp.Peer, topic string) {
	s.m.peers.Subscribe(p, topic)
	s.m.publications.Subscribed()
	s.m.stats.Subscribed.Add(1)
}

// Unsubscribe implements [server.Subscribers].
func (s subscribers) Unsubscribe(p *zmtp.Peer, err error) { s.m.peers.Unsubscribe(p, err) }

// resourcesRefreshed fires Salt's event of a refreshed resource cache.
func (m *Master) resourcesRefreshed(minion string) {
	if m.cfg.MinionDataCacheEvents {
		m.fire("salt/minion/"+minion+"/refresh/resource", wire.NewMap("Resource cache refresh", minion))
	}
}
