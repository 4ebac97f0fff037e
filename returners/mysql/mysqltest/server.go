package mysqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// Server is a private MariaDB. Its root account has no password.
type Server struct {
	Dir    string
	Socket string
	Port   int // on 127.0.0.1; kept by Start

	args []string
	cmd  *exec.Cmd
	dead chan struct{} // closed when cmd has ended
	log  string
	next atomic.Int64
}

// ErrNoServer means that MariaDB is not installed.
var ErrNoServer = errors.New("these tests need MariaDB (mariadbd and mariadb-install-db); install it with `make deps`")

// New creates the directory of a server and starts it. options are further arguments of
// mariadbd. Call Remove in the end.
func New(options ...string) (_ *Server, err error) {
	install, err := find("mariadb-install-db", "mysql_install_db")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "momdb") // short: the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Socket: filepath.Join(dir, "s"), log: filepath.Join(dir, "log"), args: options}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	if s.Port, err = freePort(); err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	out, err := exec.Command(install, "--no-defaults", "--datadir="+s.data(), "--user="+me.Username, // root has to be named
		"--auth-root-authentication-method=normal", "--skip-test-db").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", install, err, out)
	}
	s.args = append([]string{
		"--no-defaults", "--datadir=" + s.data(), "--user=" + me.Username, "--socket=" + s.Socket, "--pid-file=" + filepath.Join(dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(s.Port), "--innodb-buffer-pool-size=128M", "--max-allowed-packet=64M",
		"--innodb-log-file-size=256M", "--skip-name-resolve",
	}, options...)
	return s, s.Start()
}

func find(names ...string) (string, error) {
	for _, name := range names {
		for _, path := range []string{name, "/usr/sbin/" + name, "/usr/libexec/" + name} {
			if p, err := exec.LookPath(path); err == nil {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", names[0], ErrNoServer)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// Start starts a stopped server and waits until it answers.
func (s *Server) Start() error {
	daemon, err := find("mariadbd", "mysqld")
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd, dead := exec.Command(daemon, s.args...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd, s.dead = cmd, dead
	go func() {
		defer close(dead)
		_ = cmd.Wait() // its log has the reason
	}()
	return s.await(60 * time.Second)
}

// await waits until the server answers.
func (s *Server) await(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	db, err := s.Root("")
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.dead:
			return fmt.Errorf("mariadbd ended at its start: %s", s.tail())
		case <-ctx.Done():
			return fmt.Errorf("mariadbd does not answer after %v: %w: %s", limit, err, s.tail())
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
		return errors.Join(err, errors.New("mariadbd did not stop in 30 s and was killed"))
	}
}

// Remove stops the server and removes its directory.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }

// Root connects to a database as root; "" selects no database.
func (s *Server) Root(database string) (*sql.DB, error) {
	c := driver.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = "root", "unix", s.Socket, database
	c.Timeout, c.ParseTime, c.MultiStatements = 5*time.Second, true, true
	c.Logger = silent{}
	conn, err := driver.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(conn), nil
}

// silent drops the driver's messages while the server is not up yet.
type silent struct{}

func (silent) Print(...any) {}
