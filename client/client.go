package client

import (
	"errors"
	"log/slog"
	"os"
	"os/user"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/zmtp"
)

// Options configures a [Client].
type Options struct {
	// Addr is host:port of the master's return port. If empty, the client supports events
	// only, for example on the bus of a minion.
	Addr string
	// Cachedir is the master's cache directory. The client reads the key file .<user>_key
	// from it, and for [Client.Preview] the cached minion data.
	Cachedir string
	// User is the login on whose behalf the client acts. Default: the login of this
	// process; under sudo "sudo_<name>", as in Salt.
	User string
	// MasterUser is the login whose key root and sudo use. Default root.
	MasterUser string
	// Bus locates the event sockets. Publish does not need it.
	Bus Bus
	// Nodegroups are the node groups of the master's configuration: an expression or a list
	// of its words by name. If nil, the client sends the name to the master; mom's master
	// resolves it, Salt's does not.
	Nodegroups map[string]any
	// ConfFile is the file named in the error for an unknown node group.
	ConfFile string
	// Timeout limits a single request and the opening of the event bus. Default 10 s.
	Timeout time.Duration
	// Conns limits the connections for requests; further requests wait. Default 8.
	Conns int
	// Log receives requests and replies at debug level. Default: slog.Default.
	Log *slog.Logger

	conf *config.Master // nil unless made by FromConfig
}

// Get returns a configuration option under Salt's name for it, such as "state_output", in the
// form that a file has it. It returns false if [FromConfig] did not make o, and for an option
// that is unknown and not set.
func (o *Options) Get(name string) (any, bool) {
	if o.conf == nil {
		return nil, false
	}
	return o.conf.Get(name)
}

// Bus locates the event sockets of a master or a minion.
type Bus struct {
	// Dir is Salt's option sock_dir.
	Dir string
	// Mode is Salt's ipc_mode: "ipc" for sockets in Dir, or "tcp" for ports on
	// 127.0.0.1. Default "ipc".
	Mode string
	// PubName and PullName are the names of the sockets in Dir. Default: those of a master.
	PubName, PullName string
	// PubPort and PullPort are the ports in Mode "tcp". Default: those of a master.
	PubPort, PullPort int
	// Framing is how fired events are framed: "length", "bare", or "auto", which detects
	// what the daemon accepts. Default "length".
	Framing string
}

// Client is a connection to a master. It is safe for concurrent use.
type Client struct {
	o          Options
	req        *zmtp.Req
	fire       *bus.Writer
	dispatcher *dispatcher
	login      *Login
}

// New returns a client. It connects on the first request.
func New(o Options) *Client {
	if o.MasterUser == "" {
		o.MasterUser = "root"
	}
	if o.User == "" {
		o.User = login()
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	c := &Client{
		o: o, req: zmtp.NewReq(o.Addr, zmtp.DialConfig{MaxConns: o.Conns, BackoffMin: 50 * time.Millisecond, BackoffMax: time.Second}),
		fire: bus.NewWriter(o.Bus.config()),
	}
	c.dispatcher = newDispatcher(c.openBus)
	return c
}

// Close closes the connections for requests and fired events. Subscriptions and followed
// jobs are closed on their own.
func (c *Client) Close() error { return errors.Join(c.req.Close(), c.fire.Close()) }

func login() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	if sudo := os.Getenv("SUDO_USER"); u.Username == "root" && sudo != "" && sudo != "root" {
		return "sudo_" + sudo
	}
	return u.Username
}
