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

	"github.com/momtree/mom/returners/postgres/pgtest"
)

// postgres is one server of PostgreSQL.
type postgres struct {
	place
	server *pgtest.Server
}

func newPostgres(ctx context.Context, p place) (store, error) {
	s := &postgres{place: p}
	err := p.within(0, func() (err error) {
		s.server, err = pgtest.New(pgtest.Config{
			Settings: []string{"listen_addresses=" + p.addrs[0]},
			Access:   []string{"host all all 0.0.0.0/0 scram-sha-256"},
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	db, err := s.server.Root("postgres")
	if err != nil {
		return s, err
	}
	defer db.Close()
	return s, execAll(ctx, db, "CREATE ROLE salt LOGIN PASSWORD 'salt'", "CREATE DATABASE salt OWNER salt ENCODING 'UTF8' TEMPLATE template0")
}

func (s *postgres) options(addr func(int) string) string {
	const of = "returner.pgjsonb."
	return fmt.Sprintf("master_job_cache: pgjsonb\n%[1]shost: %[2]s\n%[1]sport: %[3]d\n%[1]suser: salt\n%[1]spass: salt\n%[1]sdb: salt\n%[1]ssslmode: disable\n",
		of, addr(0), s.server.Port)
}

func (s *postgres) port() int         { return s.server.Port }
func (s *postgres) mark(n int) string { return "$" + strconv.Itoa(n) }

func (s *postgres) open() ([]*sql.DB, error) {
	db, err := s.server.Root("salt")
	return []*sql.DB{db}, err
}

func (s *postgres) start() error { return s.within(0, s.server.Start) }

func (s *postgres) hit(_ int, what string) (func() error, error) {
	switch what {
	case SQLPause:
		return func() error { return s.signal(syscall.SIGCONT) }, s.signal(syscall.SIGSTOP)
	case SQLKill:
		return s.start, s.server.Kill()
	}
	return s.start, s.server.Stop()
}

// signal sends a signal to all processes of the server. A connection has one of its own, in a process group of its
// own, so the first one is not enough.
func (s *postgres) signal(sig syscall.Signal) error {
	first, err := readPid(filepath.Join(s.server.Dir, "data", "postmaster.pid"))
	if err != nil {
		return fmt.Errorf("find PostgreSQL: %w", err)
	}
	errs := []error{syscall.Kill(first, sig)} // stopped, it starts no more
	all, err := childrenOf(first)
	errs = append(errs, err)
	for _, pid := range all {
		if err := syscall.Kill(pid, sig); !errors.Is(err, syscall.ESRCH) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// childrenOf returns the processes that a process has started.
func childrenOf(parent int) (out []int, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything. After it come the state and the parent.
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		out = append(out, pid)
	}
	return out, nil
}

func (s *postgres) whole(context.Context) error { return nil }

func (s *postgres) close() error {
	_ = s.signal(syscall.SIGCONT) // it may hang in a fault
	return errors.Join(s.server.Kill(), s.server.Remove())
}
