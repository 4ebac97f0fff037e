package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// Errors of this package. Each is wrapped with what was being done and a hint.
var (
	// ErrUnreachable: nothing answers on the master's return port.
	ErrUnreachable = errors.New("the master does not answer")
	// ErrNoKey: the user's key file cannot be read.
	ErrNoKey = errors.New("no key of this user")
	// ErrNoMatch: the target matches nobody and there are no nodes to ask.
	ErrNoMatch = errors.New("no minions matched the target")
	// ErrBusLost: the event bus broke off while a job was followed.
	ErrBusLost = errors.New("the connection to the master's event bus broke")
	// ErrNotTold: the master is not one of ours and never tells that a job is complete.
	ErrNotTold = errors.New("this master does not tell when a job is complete")
)

// Refused is a master's refusal under Salt's name for it.
type Refused struct{ Name, Message string }

func (e *Refused) Error() string { return e.Name + ": " + e.Message }

// Options of a [Client].
type Options struct {
	// Addr is host:port of the master's return port.
	Addr string
	// KeyDir holds the file .<user>_key that the master wrote (its cachedir).
	KeyDir string
	// User is the login the work is done for. Default: the login of this
	// process; under sudo "sudo_<name>", as Salt has it.
	User string
	// MasterUser is the login whose key root and sudo use. Default root.
	MasterUser string
	// Bus says where the event sockets are. Publish alone does without.
	Bus bus.ClientConfig
	// Timeout bounds one request. Default 10 s.
	Timeout time.Duration
	// Log is told, at debug level, what goes to and comes from the master.
	// Default: slog.Default.
	Log *slog.Logger
}

// FromMaster gives the options that fit a master's own configuration.
func FromMaster(c *config.Master) Options {
	host := c.Interface
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.To4() == nil {
			host = "::1"
		}
	}
	return Options{
		Addr: net.JoinHostPort(host, strconv.Itoa(c.RetPort)), KeyDir: c.Cachedir, MasterUser: c.User,
		Bus: bus.ClientConfig{
			SockDir: c.SockDir, PubName: "master_event_pub.ipc", PullName: "master_event_pull.ipc",
			IPCMode: c.IpcMode, PubPort: c.TcpMasterPubPort, PullPort: c.TcpMasterPullPort,
			Framing: bus.Framing(c.IpcFraming), // the master may be one of Salt's, which takes its own only
		},
	}
}

// Client is safe for concurrent use.
type Client struct {
	o   Options
	req *zmtp.Req
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
	return &Client{o: o, req: zmtp.NewReq(o.Addr, zmtp.DialConfig{BackoffMin: 50 * time.Millisecond, BackoffMax: time.Second})}
}

// Close ends the connections.
func (c *Client) Close() error { return c.req.Close() }

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

// key reads the key file of the user; root and sudo use the master's own.
func (c *Client) key() (string, error) {
	name := c.o.User
	if name == "root" || strings.HasPrefix(name, "sudo_") {
		name = c.o.MasterUser
	}
	path := filepath.Join(c.o.KeyDir, "."+name+"_key")
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%w: %s may not read %s; run the command as root or as a user of publisher_acl", ErrNoKey, c.o.User, path)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %s does not exist; is the master running, and is its cachedir %s?", ErrNoKey, path, c.o.KeyDir)
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// send asks a clear command under the user's key. A master that was restarted
// has a new key: after a refusal the file is read and the command sent once more.
func (c *Client) send(ctx context.Context, load *wire.Map) (*wire.Map, error) {
	last := ""
	var refused *Refused
	for {
		key, err := c.key()
		if err != nil {
			return nil, err
		}
		if refused != nil && key == last {
			return nil, refused
		}
		load.Set("key", key)
		load.Set("user", c.o.User)
		reply, err := c.ask(ctx, load)
		if err != nil {
			return nil, err
		}
		again := refused != nil
		if refused = refusedOf(reply); refused == nil {
			return reply, nil
		}
		if again || !strings.Contains(refused.Name, "Authentication") {
			return nil, refused
		}
		last = key
	}
}

// refusedOf reads the refusal out of a reply: name and message, or a text.
func refusedOf(reply *wire.Map) *Refused {
	if e := reply.Map("error"); e != nil {
		return &Refused{Name: e.String("name"), Message: e.String("message")}
	}
	if text := reply.String("error"); text != "" {
		return &Refused{Name: "SaltClientError", Message: text}
	}
	return nil
}

// ask sends one clear request and reads the map that answers it.
func (c *Client) ask(ctx context.Context, load *wire.Map) (*wire.Map, error) {
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", load.String("cmd"), err)
	}
	// The version spares a master with minimum_auth_version from refusing its own users.
	body, err := wire.Envelope{Enc: "clear", Load: raw, Version: 3, HasVersion: true}.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", load.String("cmd"), err)
	}
	c.o.Log.Debug("Asking the master", "cmd", load.String("cmd"), "fun", load.String("fun"), "addr", c.o.Addr)
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	b, err := c.req.Do(ctx, body)
	if err != nil {
		return nil, fmt.Errorf("%w at %s (%s): %w", ErrUnreachable, c.o.Addr, load.String("cmd"), err)
	}
	v, err := wire.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	switch v := v.(type) {
	case *wire.Map:
		return v, nil
	case string:
		return nil, fmt.Errorf("the master refused %s: %s", load.String("cmd"), v)
	}
	return nil, fmt.Errorf("answer to %s is neither map nor text", load.String("cmd"))
}
