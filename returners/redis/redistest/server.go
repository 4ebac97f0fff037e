package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	driver "github.com/redis/go-redis/v9"
)

// Server is a private Redis. Its default user has no password.
type Server struct {
	Dir    string
	Socket string // "" in a cluster
	Port   int    // on 127.0.0.1, in a cluster only; kept by Start

	args []string
	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
	log  string
}

// ErrNoServer means that Redis is not installed.
var ErrNoServer = errors.New("these tests need Redis (redis-server); install it with `make deps`")

// New creates the directory of a server and starts it. options are further arguments of
// redis-server. Everything that was acknowledged is on the disk. Call Remove in the end.
func New(options ...string) (*Server, error) { return begin(false, options) }

// NewCluster is New for a cluster of one member, which refuses what a larger one refuses.
func NewCluster(options ...string) (*Server, error) { return begin(true, options) }

func begin(cluster bool, options []string) (_ *Server, err error) {
	dir, err := os.MkdirTemp("", "momredis") // short: the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, log: filepath.Join(dir, "log")}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	s.args = []string{"--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no", "--databases", "64"}
	if cluster {
		var bus int
		if s.Port, err = freePort(); err == nil {
			bus, err = freePort()
		}
		if err != nil {
			return nil, err
		}
		s.args = append(s.args, "--bind", "127.0.0.1", "--port", strconv.Itoa(s.Port), "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus))
	} else {
		s.Socket = filepath.Join(dir, "s")
		s.args = append(s.args, "--port", "0", "--unixsocket", s.Socket)
	}
	s.args = append(s.args, options...)
	if err := s.Start(); err != nil {
		return nil, err
	}
	if cluster {
		return s, s.join()
	}
	return s, nil
}

// join gives the one member of a cluster all slots.
func (s *Server) join() error {
	c := s.Client()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.ClusterAddSlotsRange(ctx, 0, 16383).Err(); err != nil {
		return err
	}
	return await(ctx, func() error {
		info, err := c.ClusterInfo(ctx).Result()
		if err == nil && len(info) > 16 && info[:16] != "cluster_state:ok" {
			err = errors.New("the cluster is not ready")
		}
		return err
	}, s.dead)
}

func find(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/local/bin/" + name} {
		if p, err := exec.LookPath(path); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNoServer)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Start starts a stopped server and waits until it answers.
func (s *Server) Start() error {
	daemon, err := find("redis-server")
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, dead := exec.Command(daemon, s.args...), make(chan struct{})
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, s.Dir
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.dead = cmd, dead
	go func() {
		defer close(dead)
		_ = cmd.Wait() // its log has the reason
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c := s.Client()
	defer c.Close()
	err = await(ctx, func() error {
		err := c.Ping(ctx).Err()
		if err != nil && (driver.HasErrorPrefix(err, "NOAUTH") || driver.HasErrorPrefix(err, "OOM")) {
			return nil
		}
		return err
	}, dead)
	if err != nil {
		return fmt.Errorf("redis-server does not serve: %w: %s", err, s.tail())
	}
	return nil
}

// await calls try until it succeeds, the server ends or ctx does.
func await(ctx context.Context, try func() error, dead <-chan struct{}) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-dead:
			return errors.Join(errors.New("it ended"), err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

func (s *Server) tail() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// Client returns a client of database 0 without a password.
func (s *Server) Client() *driver.Client {
	o := &driver.Options{Network: "unix", Addr: s.Socket, Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1}
	if s.Socket == "" {
		o.Network, o.Addr = "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
	}
	return driver.NewClient(o)
}

// Stop shuts the server down and waits until it ended. It keeps the data.
func (s *Server) Stop() error { return s.end(syscall.SIGTERM) }

// Kill ends the server as a loss of power would.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(sig syscall.Signal) error {
	if s.cmd == nil {
		return nil
	}
	defer func() { s.cmd = nil }()
	err := s.cmd.Process.Signal(sig)
	t := time.NewTimer(30 * time.Second)
	defer t.Stop()
	select {
	case <-s.dead:
		return nil
	case <-t.C:
		_ = s.cmd.Process.Kill()
		<-s.dead
		return errors.Join(err, errors.New("redis-server did not stop in 30 s and was killed"))
	}
}

// Remove stops the server and removes its directory.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }

// Start is New for one test: the server ends with it.
func Start(tb testing.TB, options ...string) *Server {
	tb.Helper()
	s, err := New(options...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Remove(); err != nil {
			tb.Errorf("remove Redis: %v", err)
		}
	})
	return s
}
