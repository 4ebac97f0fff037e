//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/momtree/mom/returners/mysql/mysqltest"
)

// mariadb is one server of MariaDB.
type mariadb struct {
	place
	server *mysqltest.Server
}

func newMariaDB(ctx context.Context, p place) (store, error) {
	s := &mariadb{place: p}
	err := p.within(0, func() (err error) {
		s.server, err = mysqltest.New("--bind-address=" + p.addrs[0])
		return err
	})
	if err != nil {
		return nil, err
	}
	db, err := s.server.Root("")
	if err != nil {
		return s, err
	}
	defer db.Close()
	return s, execAll(ctx, db, "CREATE DATABASE salt", "CREATE USER salt@'%' IDENTIFIED BY 'salt'", "GRANT ALL ON salt.* TO salt@'%'")
}

func (s *mariadb) options(addr func(int) string) string {
	return fmt.Sprintf("master_job_cache: mysql\nmysql.host: %s\nmysql.port: %d\nmysql.user: salt\nmysql.pass: salt\nmysql.db: salt\n", addr(0), s.server.Port)
}

func (s *mariadb) port() int       { return s.server.Port }
func (s *mariadb) mark(int) string { return "?" }

func (s *mariadb) open() ([]*sql.DB, error) {
	db, err := s.server.Root("salt")
	return []*sql.DB{db}, err
}

func (s *mariadb) start() error { return s.within(0, s.server.Start) }

func (s *mariadb) hit(_ int, what string) (func() error, error) {
	switch what {
	case SQLPause:
		return func() error { return s.signal(syscall.SIGCONT) }, s.signal(syscall.SIGSTOP)
	case SQLKill:
		return s.start, s.server.Kill()
	}
	return s.start, s.server.Stop()
}

func (s *mariadb) signal(sig syscall.Signal) error {
	pid, err := readPid(filepath.Join(s.server.Dir, "pid"))
	if err != nil {
		return fmt.Errorf("find MariaDB: %w", err)
	}
	return syscall.Kill(pid, sig)
}

// readPid reads the process id in the first line of a file.
func readPid(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

func (s *mariadb) whole(context.Context) error { return nil }

func (s *mariadb) close() error {
	_ = s.signal(syscall.SIGCONT) // it may hang in a fault
	return errors.Join(s.server.Kill(), s.server.Remove())
}
