package mysqltest

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/returners/returnertest"
)

// Server is a private MariaDB. Its root account has no password.
type Server struct {
	Dir    string
	Socket string
	Port   int // on 127.0.0.1; kept by Start

	process returnertest.Process
	args    []string
	next    atomic.Int64
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
	s := &Server{Dir: dir, Socket: filepath.Join(dir, "s"), process: returnertest.Process{Name: "mariadbd", Log: filepath.Join(dir, "log")}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	if s.Port, err = localcluster.FreePort(); err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	account := me.Username
	if slices.Contains(options, clustered) && account == "root" {
		if account, err = giveAway(dir); err != nil {
			return nil, err
		}
	}
	out, err := exec.Command(install, "--no-defaults", "--datadir="+s.data(), "--user="+account, // as root it starts only with --user
		"--auth-root-authentication-method=normal", "--skip-test-db").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", install, err, out)
	}
	s.args = append([]string{
		"--no-defaults", "--datadir=" + s.data(), "--user=" + account, "--socket=" + s.Socket, "--pid-file=" + filepath.Join(dir, "pid"),
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(s.Port), "--innodb-buffer-pool-size=128M", "--max-allowed-packet=64M",
		"--innodb-log-file-size=256M", "--skip-name-resolve",
	}, options...)
	return s, s.Start()
}

// giveAway makes the account of MariaDB's package the owner of a directory, and returns its name.
// When root starts a server, the rsync daemon of a joining node (rsync 3.5) may not write its data.
func giveAway(dir string) (account string, err error) {
	const name = "mysql"
	u, err := user.Lookup(name)
	if err != nil {
		return "", fmt.Errorf("account for the servers of a cluster: %w", err)
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return name, os.Chown(dir, uid, gid)
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

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// Start starts a stopped server and waits until it answers.
func (s *Server) Start() error {
	daemon, err := find("mariadbd", "mysqld")
	if err != nil {
		return err
	}
	db, err := s.Root("")
	if err != nil {
		return err
	}
	defer db.Close()
	return s.process.Start(exec.Command(daemon, s.args...), db.PingContext)
}

// Stop shuts the server down and waits until it ended. It keeps the data.
func (s *Server) Stop() error { return s.process.End(syscall.SIGTERM) }

// Kill ends the server as a loss of power would.
func (s *Server) Kill() error { return s.process.End(syscall.SIGKILL) }

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
