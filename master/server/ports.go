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

// PortsOptions configure [Ports]. Fields are required unless they say otherwise.
type PortsOptions struct {
	Config *config.Master
	// Accepted is the number of accepted keys, which is the number of peers that may connect.
	Accepted int
	// Trusted and TrustedFor are described at [zmtp.PubConfig].
	Trusted    func(netip.Addr) bool
	TrustedFor time.Duration
	// Raise raises the limit of open files; nil means that of the process.
	Raise func(uint64) (uint64, error)
	Log   *slog.Logger
}

// Ports are the publish port and the port for requests of a master.
type Ports struct {
	Pub    *zmtp.Pub    // nil before [Ports.ListenPublish]
	Router *zmtp.Router // nil before [Ports.ListenReturn]

	o    PortsOptions
	room *zmtp.Room
}

// NewPorts returns ports that are not bound. They have room for as many connections as the options
// say.
func NewPorts(o PortsOptions) *Ports {
	if o.Raise == nil {
		o.Raise = daemon.RaiseOpenFiles
	}
	return &Ports{o: o, room: portsRoom(o)}
}

// Subscribers is notified of subscriptions and closed connections of the publish port.
type Subscribers interface {
	Subscribe(p *zmtp.Peer, topic string)
	Unsubscribe(p *zmtp.Peer, err error)
}

// ListenPublish binds the publish port.
func (p *Ports) ListenPublish(s Subscribers) (err error) {
	c := p.o.Config
	slow := zmtp.CutSlow
	if c.PubSlow == "drop" {
		slow = zmtp.DropSlow
	}
	p.Pub, err = zmtp.ListenPub(p.addr(c.PublishPort), zmtp.PubConfig{
		Limits: p.limits(), HWM: c.PubHwm, HWMBytes: c.PubHwmBytes, Slow: slow, Filtering: c.ZmqFiltering,
		HeartbeatInterval: orNever(c.ZmqHeartbeatIvl), HeartbeatTimeout: orNever(c.ZmqHeartbeatTimeout),
		Trusted: p.o.Trusted, TrustedFor: p.o.TrustedFor,
		Listen: p.listening(), OnSubscribe: s.Subscribe, OnClose: s.Unsubscribe, Log: p.o.Log,
	})
	if err != nil {
		return fmt.Errorf("bind publish_port %d: %w", c.PublishPort, err)
	}
	return nil
}

// errNotBound is returned by sends before the publish port is bound.
var errNotBound = errors.New("the publish port is not bound yet")

// SendTo sends a message to subscribers; see [zmtp.Pub.SendTo].
func (p *Ports) SendTo(topic string, body []byte, to *zmtp.Choice) error {
	if p.Pub == nil {
		return errNotBound
	}
	return p.Pub.SendTo(topic, body, to)
}

// SendPeer sends a message to one connection; see [zmtp.Pub.SendPeer].
func (p *Ports) SendPeer(conn uint64, topic string, body []byte) error {
	if p.Pub == nil {
		return errNotBound
	}
	return p.Pub.SendPeer(conn, topic, body)
}

// Selects reports whether a subscriber is selected; see [zmtp.Pub.Selects].
func (p *Ports) Selects(to *zmtp.Choice) bool { return p.Pub != nil && p.Pub.Selects(to) }

// ListenReturn binds the port for requests. Everything that requests use must be running.
func (p *Ports) ListenReturn(receive func(*zmtp.Request)) (err error) {
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

// Close closes the bound ports. No request comes after that.
func (p *Ports) Close() error {
	var errs []error
	if p.Router != nil {
		errs = append(errs, p.Router.Close())
	}
	if p.Pub != nil {
		errs = append(errs, p.Pub.Close())
	}
	return errors.Join(errs...)
}

// Publish returns the publish port as bound.
func (p *Ports) Publish() int { return p.Pub.Addr().(*net.TCPAddr).Port }

// Return returns the port for requests as bound.
func (p *Ports) Return() int { return p.Router.Addr().(*net.TCPAddr).Port }

// addr returns the address to bind. With IPv6 and no address given, the port listens on both
// protocols.
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

// listening returns the options of both ports.
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

// never is longer than any daemon lives.
const never = 100 * 365 * 24 * time.Hour

// orNever converts zmq_heartbeat options as ZMQ defines them: 0 disables one. The TTL that peers
// announce still applies.
func orNever(d time.Duration) time.Duration {
	if d <= 0 {
		return never
	}
	return d
}
