package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/zmtp"
)

// PortsOptions of [Ports]. None may be left out, but for those that say so.
type PortsOptions struct {
	Config *config.Master
	// Accepted is how many keys are accepted: as many peers may connect.
	Accepted int
	// Trusted and TrustedFor are described at [zmtp.PubConfig].
	Trusted    func(netip.Addr) bool
	TrustedFor time.Duration
	// OnSubscribe and OnClose are told of subscriptions.
	OnSubscribe func(p *zmtp.Peer, topic string)
	OnClose     func(p *zmtp.Peer, err error)
	// Raise raises the limit of open files; nil means that of the process.
	Raise func(uint64) (uint64, error)
	Log   *slog.Logger
}

// Ports are the two of a master. The nil Ports can be closed.
type Ports struct {
	Pub    *zmtp.Pub
	Router *zmtp.Router // nil before [Ports.Serve]

	o    PortsOptions
	room *zmtp.Room
}

// OpenPorts binds the port that is published on.
func OpenPorts(o PortsOptions) (*Ports, error) {
	if o.Raise == nil {
		o.Raise = daemon.RaiseOpenFiles
	}
	p, c := &Ports{o: o, room: portsRoom(o)}, o.Config
	slow := zmtp.CutSlow
	if c.PubSlow == "drop" {
		slow = zmtp.DropSlow
	}
	var err error
	p.Pub, err = zmtp.ListenPub(p.addr(c.PublishPort), zmtp.PubConfig{
		Limits: p.limits(), HWM: c.PubHwm, HWMBytes: c.PubHwmBytes, Slow: slow, Filtering: c.ZmqFiltering,
		HeartbeatInterval: orNever(c.ZmqHeartbeatIvl), HeartbeatTimeout: orNever(c.ZmqHeartbeatTimeout),
		Trusted: o.Trusted, TrustedFor: o.TrustedFor,
		Listen: p.listening(), OnSubscribe: o.OnSubscribe, OnClose: o.OnClose, Log: o.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("bind publish_port %d: %w", c.PublishPort, err)
	}
	return p, nil
}

// Serve binds the port for requests. All that a request needs is there before.
func (p *Ports) Serve(receive func(*zmtp.Request)) (err error) {
	c := p.o.Config
	p.Router, err = zmtp.ListenRouter(p.addr(c.RetPort), zmtp.RouterConfig{
		Limits: p.limits(), HeartbeatInterval: orNever(c.ZmqHeartbeatIvl), HeartbeatTimeout: orNever(c.ZmqHeartbeatTimeout),
		Listen: p.listening(), Trusted: p.o.Trusted, Log: p.o.Log,
	}, receive)
	if err != nil {
		return fmt.Errorf("bind ret_port %d: %w", c.RetPort, err)
	}
	return nil
}

// Close closes both; no request comes after that.
func (p *Ports) Close() (err error) {
	if p == nil {
		return nil
	}
	if p.Router != nil {
		err = p.Router.Close()
	}
	return errors.Join(err, p.Pub.Close())
}

// Publish and Return are the ports as bound.
func (p *Ports) Publish() int { return p.Pub.Addr().(*net.TCPAddr).Port }

// Return is described at [Ports.Publish].
func (p *Ports) Return() int { return p.Router.Addr().(*net.TCPAddr).Port }

// addr is where a port is bound. Whoever wants IPv6 and names no address gets
// both kinds.
func (p *Ports) addr(port int) string {
	host, ipv6 := p.o.Config.Interface, p.o.Config.Ipv6
	if ipv6 != nil && *ipv6 && host == "0.0.0.0" {
		host = "::"
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

func (p *Ports) limits() zmtp.Limits {
	c := p.o.Config
	return zmtp.Limits{
		RequestBytes: c.MaxRequestBytes, UntrustedBytes: c.MaxRequestBytes / 4,
		RequestPatience: c.Bounds.RequestPatience, StrangerPatience: c.Bounds.StrangerPatience,
		HandshakePatience: c.Bounds.HandshakePatience,
		MaxFrame:          c.MaxFrameSize, MaxFrameUntrusted: c.MaxFrameSizeUntrusted,
		MaxConns: c.MaxConnections, Room: p.room, MaxConnsPerAddr: c.MaxConnectionsPerAddress, MaxHandshakes: c.MaxHandshakes,
		HandshakeTimeout: c.HandshakeTimeout, FrameTimeout: c.FrameTimeout, StallTimeout: c.StallTimeout,
	}
}

// listening are the options of both ports.
func (p *Ports) listening() zmtp.ListenConfig {
	c := p.o.Config
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
