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

// Options of a [Client].
type Options struct {
	// Addr is host:port of the master's return port. Without it events alone can be
	// had, of a minion's bus for one.
	Addr string
	// Cachedir is the master's folder of that name: it holds the file .<user>_key
	// that the master wrote, and for [Client.Preview] the data of its minions.
	Cachedir string
	// User is the login the work is done for. Default: the login of this
	// process; under sudo "sudo_<name>", as Salt has it.
	User string
	// MasterUser is the login whose key root and sudo use. Default root.
	MasterUser string
	// Bus says where the event sockets are. Publish alone does without.
	Bus Bus
	// Nodegroups are those of the master's configuration, which a target of the type
	// nodegroup names: an expression, or a list of its words. nil: the master is asked
	// with the name, which one of ours knows and one of Salt's does not.
	Nodegroups map[string]any
	// ConfFile is the file that an error names when there is no such node group.
	ConfFile string
	// Timeout bounds one request and the opening of the event bus. Default 10 s.
	Timeout time.Duration
	// Conns bounds the connections for requests; more requests wait their turn. Default 8.
	Conns int
	// Log is told, at debug level, what goes to and comes from the master.
	// Default: slog.Default.
	Log *slog.Logger

	conf *config.Master // nil: there is no file behind them
}

// Get gives an option of the configuration that [FromConfig] made these options from, by
// Salt's name for it, in the form that a file has it: "state_output" for one. It is false
// for options that were made otherwise, and of an option that is not known and not set.
func (o *Options) Get(name string) (any, bool) {
	if o.conf == nil {
		return nil, false
	}
	return o.conf.Get(name)
}

// Bus says where the event sockets of a master or a minion are.
type Bus struct {
	// Dir is Salt's option sock_dir.
	Dir string
	// Mode is Salt's ipc_mode: "ipc", the default, for sockets in Dir, or "tcp" for
	// ports on 127.0.0.1.
	Mode string
	// PubName and PullName are the names of the sockets in Dir. Default: a master's.
	PubName, PullName string
	// PubPort and PullPort are the ports with Mode tcp. Default: a master's.
	PubPort, PullPort int
	// Framing is how events that are fired are framed, as the daemon takes them:
	// "length", the default, "bare", or "auto", which finds out.
	Framing string
}

// Client is safe for concurrent use.
type Client struct {
	o     Options
	req   *zmtp.Req
	fire  *bus.Writer
	hears *listener
	login *Login
}

// New makes a client. It connects with the first request.
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
	c.hears = newListener(c.openBus)
	return c
}

// Close ends the connections of requests and of events that are fired. Subscriptions and
// followed jobs have a Close of their own.
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
