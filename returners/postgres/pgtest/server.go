package pgtest

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/returners/returnertest"
)

// Server is a private PostgreSQL. Its account postgres has no password.
type Server struct {
	Dir  string // also holds the socket
	Port int    // on 127.0.0.1, kept by Start; part of the name of the socket

	process returnertest.Process
	owner   *account // nil: the current user
	args    []string
	next    atomic.Int64
}

// account is the user that runs the server.
type account struct{ uid, gid int }

// Config changes a server.
type Config struct {
	// Settings are further settings, as "name=value". Relative paths are below the
	// directory of the data.
	Settings []string
	// Access are the lines of pg_hba.conf for connections by TCP. Default: every account
	// needs its password.
	Access []string
	// Files are copied into the directory of the data, by their names.
	Files []string
}

// ErrNoServer means that PostgreSQL is not installed.
var ErrNoServer = errors.New("these tests need PostgreSQL (initdb and postgres); install it with `make deps`")

// New creates the directory of a server and starts it. Call Remove in the end.
func New(c Config) (_ *Server, err error) {
	initdb, err := find("initdb")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mompg") // short: the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, process: returnertest.Process{Name: "postgres", Log: filepath.Join(dir, "log")}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Remove())
		}
	}()
	if s.owner, err = serverAccount(); err != nil {
		return nil, err
	}
	if err := s.give(dir); err != nil {
		return nil, err
	}
	if s.Port, err = localcluster.FreePort(); err != nil {
		return nil, err
	}
	cmd := exec.Command(initdb, "--pgdata="+s.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
	cmd.SysProcAttr, cmd.Dir = attributes(s.owner), dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", initdb, err, out)
	}
	if err := s.configure(c); err != nil {
		return nil, err
	}
	// Without fsync a kill of the server loses nothing that it has committed.
	settings := append([]string{
		"fsync=off", "full_page_writes=off", "listen_addresses=127.0.0.1", "unix_socket_directories=" + dir, "max_connections=100",
		"shared_buffers=32MB", "autovacuum=off", "logging_collector=off", "timezone=<-05>5",
	}, c.Settings...)
	s.args = []string{"-D", s.data(), "-p", strconv.Itoa(s.Port)}
	for _, set := range settings {
		s.args = append(s.args, "-c", set)
	}
	return s, s.Start()
}

// configure writes the files of a server.
func (s *Server) configure(c Config) error {
	access := c.Access
	if access == nil {
		access = []string{"host all all 127.0.0.1/32 scram-sha-256"}
	}
	hba := strings.Join(append([]string{"local all all trust"}, access...), "\n") + "\n"
	files := map[string][]byte{"pg_hba.conf": []byte(hba)}
	for _, path := range c.Files {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[filepath.Base(path)] = data
	}
	for name, data := range files {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		if err := s.give(path); err != nil {
			return err
		}
	}
	return nil
}

// serverAccount returns the account for the server, nil for the current one.
func serverAccount() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uerr := strconv.Atoi(u.Uid)
		gid, gerr := strconv.Atoi(u.Gid)
		return &account{uid, gid}, errors.Join(uerr, gerr)
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// give makes the account of the server the owner of a file.
func (s *Server) give(path string) error {
	if s.owner == nil {
		return nil
	}
	return os.Chown(path, s.owner.uid, s.owner.gid)
}

// find returns the path of a program of the newest installed version.
func find(name string) (string, error) {
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/pgsql-*/bin/", "/usr/local/pgsql/bin/", "/usr/libexec/postgresql*/"} {
		paths, err := filepath.Glob(pattern + name)
		if err != nil {
			return "", err
		}
		found = append(found, paths...)
	}
	if len(found) > 0 {
		slices.SortFunc(found, func(a, b string) int { return number(a) - number(b) })
		return found[len(found)-1], nil
	}
	if p, err := exec.LookPath(name); err == nil {
		return p, nil
	}
	return "", fmt.Errorf("%s: %w", name, ErrNoServer)
}

// number returns the version in a path, 0 without one.
func number(path string) (n int) {
	for _, c := range path {
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
		}
	}
	return n
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// Start starts a stopped server and waits until it answers. Processes of a killed server
// may hold its memory for a moment, during which a new one does not start.
func (s *Server) Start() error {
	daemon, err := find("postgres")
	if err != nil {
		return err
	}
	db, err := s.Root("postgres")
	if err != nil {
		return err
	}
	defer db.Close()
	for end := time.Now().Add(time.Minute); ; {
		if err := os.Truncate(s.process.Log, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		cmd := exec.Command(daemon, s.args...)
		cmd.SysProcAttr, cmd.Dir = attributes(s.owner), s.Dir
		err := s.process.Start(cmd, db.PingContext)
		if !errors.Is(err, returnertest.ErrEnded) || !strings.Contains(err.Error(), "shared memory block") || time.Now().After(end) {
			return err
		}
	}
}

// Stop shuts the server down and waits until it ended. It keeps the data.
func (s *Server) Stop() error { return s.process.End(syscall.SIGINT) }

// Kill ends the server as a crash would.
func (s *Server) Kill() error { return s.process.End(syscall.SIGKILL) }

// Remove stops the server and removes its directory.
func (s *Server) Remove() error { return errors.Join(s.Stop(), os.RemoveAll(s.Dir)) }

// Root connects to a database as postgres.
func (s *Server) Root(database string) (*sql.DB, error) {
	c, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=postgres dbname=%s sslmode=disable connect_timeout=30", s.Dir, s.Port, database))
	if err != nil {
		return nil, err
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	return stdlib.OpenDB(*c), nil
}
