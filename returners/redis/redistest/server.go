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
	"strings"
	"syscall"
	"testing"
	"time"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/returners/returnertest"
)

// Server is a private Redis. Its default user has no password.
type Server struct {
	Dir    string
	Socket string // "" in a cluster
	Port   int    // on 127.0.0.1, in a cluster only; kept by Start

	process returnertest.Process
	args    []string
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
	s := &Server{Dir: dir, process: returnertest.Process{Name: "redis-server", Log: filepath.Join(dir, "log")}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	s.args = []string{"--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no", "--databases", "64"}
	if cluster {
		var bus int
		if s.Port, err = localcluster.FreePort(); err == nil {
			bus, err = localcluster.FreePort()
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
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if info, err := c.ClusterInfo(ctx).Result(); err != nil || strings.HasPrefix(info, "cluster_state:ok") {
			return err
		}
		<-tick.C // the next question fails when ctx has ended
	}
}

func find(name string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/usr/local/bin/" + name} {
		if p, err := exec.LookPath(path); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNoServer)
}

// Start starts a stopped server and waits until it answers.
func (s *Server) Start() error {
	daemon, err := find("redis-server")
	if err != nil {
		return err
	}
	c := s.Client()
	defer c.Close()
	cmd := exec.Command(daemon, s.args...)
	cmd.Dir = s.Dir
	return s.process.Start(cmd, func(ctx context.Context) error {
		err := c.Ping(ctx).Err()
		if err != nil && (driver.HasErrorPrefix(err, "NOAUTH") || driver.HasErrorPrefix(err, "OOM")) {
			return nil
		}
		return err
	})
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
func (s *Server) Stop() error { return s.process.End(syscall.SIGTERM) }

// Kill ends the server as a loss of power would.
func (s *Server) Kill() error { return s.process.End(syscall.SIGKILL) }

// Remove stops the server and removes its directory.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }

// Start is New for one test: the server ends with it.
func Start(tb testing.TB, options ...string) *Server {
	tb.Helper()
	s, err := New(options...)
	return returnertest.Own(tb, s, err)
}
