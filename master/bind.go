package master

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
)

// own are the commands whose handlers are still the master's own.
var own server.Set[*Master]

// bind opens the two ports and the local event sockets. The order matters: a
// client that can publish must find the bus open.
func (m *Master) bind() (err error) {
	m.ipc, err = bus.Serve(m.bus, bus.ServerConfig{
		SockDir: m.cfg.SockDir, PubName: "master_event_pub.ipc", PullName: "master_event_pull.ipc",
		Framing: bus.Framing(m.cfg.IpcFraming), IPCMode: m.cfg.IpcMode, PubPort: m.cfg.TcpMasterPubPort, PullPort: m.cfg.TcpMasterPullPort,
		Log: m.log,
	})
	if err != nil {
		return fmt.Errorf("open the event sockets: %w", err)
	}
	slow := zmtp.CutSlow
	if m.cfg.PubSlow == "drop" {
		slow = zmtp.DropSlow
	}
	m.pub, err = zmtp.ListenPub(m.addr(m.cfg.PublishPort), zmtp.PubConfig{
		Limits: m.limits(), HWM: m.cfg.PubHwm, HWMBytes: m.cfg.PubHwmBytes, Slow: slow, Filtering: m.cfg.ZmqFiltering,
		HeartbeatInterval: orNever(m.cfg.ZmqHeartbeatIvl), HeartbeatTimeout: orNever(m.cfg.ZmqHeartbeatTimeout),
		Trusted: m.server.Trusted.Has, TrustedFor: m.namelessFor(),
		Listen: m.listening(), OnSubscribe: m.subscribed, OnClose: m.peers.Unsubscribe, Log: m.log,
	})
	if err != nil {
		return fmt.Errorf("bind publish_port %d: %w", m.cfg.PublishPort, err)
	}
	// All that a request needs is there before the first can come.
	m.peers.Plant()
	m.addCommands()
	m.router, err = zmtp.ListenRouter(m.addr(m.cfg.RetPort), zmtp.RouterConfig{
		Limits: m.limits(), HeartbeatInterval: orNever(m.cfg.ZmqHeartbeatIvl), HeartbeatTimeout: orNever(m.cfg.ZmqHeartbeatTimeout),
		Listen: m.listening(), Trusted: m.server.Trusted.Has, Log: m.log,
	}, m.server.Receive)
	if err != nil {
		return fmt.Errorf("bind ret_port %d: %w", m.cfg.RetPort, err)
	}
	return nil
}

// addCommands has the server serve all commands: those of package commands, and the
// master's own.
func (m *Master) addCommands() {
	commands.AddTo(&commands.Parts{
		Config: m.cfg, Server: m.server, User: m.access.Own,
		Keys: m.keys, Gate: m.keys.Gate(m.pub.Addr().(*net.TCPAddr).Port, m.access.Own, m.failover.Vouched, m.peers.Here),
		SignedIn: func(id string) {
			m.peers.SignedIn(id)
			m.publications.SignedIn(id)
		},
		Data: m.data, Unserved: m.unserved, Runners: m.runners, JIDs: m.jids,
		SignIns: &m.signedIn, Stats: &m.stats, Fire: m.fire, Log: m.log, Now: m.now,
	})
	own.AddTo(m.server, m)
	m.publisher.Serve(m.server)
	m.peers.Serve(m.server)
	m.publications.Serve(m.server)
	m.failover.Serve(m.server)
}

// subscribed is told of each subscription.
func (m *Master) subscribed(p *zmtp.Peer, topic string) {
	m.peers.Subscribe(p, topic)
	m.publications.Subscribed()
	m.stats.Subscribed.Add(1)
}

// addr is where a port is bound. Whoever wants IPv6 and names no address gets
// both kinds.
func (m *Master) addr(port int) string {
	host := m.cfg.Interface
	if m.cfg.Ipv6 != nil && *m.cfg.Ipv6 && host == "0.0.0.0" {
		host = "::"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// namelessFor is how long a subscription from an address of accepted peers keeps its
// place without having said whose it is; below 0: always, as nobody is asked.
func (m *Master) namelessFor() time.Duration {
	if !m.cfg.PresenceAsk {
		return -1
	}
	return presence.MuteFor
}

func (m *Master) limits() zmtp.Limits {
	return zmtp.Limits{
		RequestBytes: m.cfg.MaxRequestBytes, UntrustedBytes: m.cfg.MaxRequestBytes / 4,
		RequestPatience: m.cfg.Bounds.RequestPatience, StrangerPatience: m.cfg.Bounds.StrangerPatience,
		HandshakePatience: m.cfg.Bounds.HandshakePatience,
		MaxFrame:          m.cfg.MaxFrameSize, MaxFrameUntrusted: m.cfg.MaxFrameSizeUntrusted,
		MaxConns: m.cfg.MaxConnections, Room: m.room, MaxConnsPerAddr: m.cfg.MaxConnectionsPerAddress, MaxHandshakes: m.cfg.MaxHandshakes,
		HandshakeTimeout: m.cfg.HandshakeTimeout, FrameTimeout: m.cfg.FrameTimeout, StallTimeout: m.cfg.StallTimeout,
	}
}

// listening are the options of both ports.
func (m *Master) listening() zmtp.ListenConfig {
	c := m.cfg
	l := zmtp.ListenConfig{Backlog: c.ZmqBacklog, KeepAlive: net.KeepAliveConfig{
		Enable: c.TcpKeepalive, Idle: c.TcpKeepaliveIdle, Interval: c.TcpKeepaliveIntvl, Count: c.TcpKeepaliveCnt,
	}}
	if !c.TcpKeepalive {
		l.KeepAlive.Idle = -1
	}
	return l
}

// never is further away than any daemon lives.
const never = 100 * 365 * 24 * time.Hour

// orNever reads the zmq_heartbeat options as ZMQ does: 0 switches one off. What peers
// promise of themselves counts all the same.
func orNever(d time.Duration) time.Duration {
	if d <= 0 {
		return never
	}
	return d
}
