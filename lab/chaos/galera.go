//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/momtree/mom/lab/galera/servers"
)

// galera is three servers of MariaDB that are one cluster.
type galera struct{ cluster *servers.Cluster }

func newGalera(ctx context.Context, p place) (store, error) {
	o := servers.Options{Within: p.within, Suspect: p.suspect, Note: p.note}
	copy(o.Addresses[:], p.addrs)
	for i := range o.Dirs {
		o.Dirs[i] = filepath.Join(p.dir, fmt.Sprintf("sql%d", i+1))
		if err := os.Mkdir(o.Dirs[i], 0o755); err != nil {
			return nil, err
		}
	}
	c, err := servers.New(ctx, o)
	return &galera{cluster: c}, err
}

func (s *galera) options(addr func(int) string) string {
	var hosts []string
	for i := range s.cluster.Nodes {
		hosts = append(hosts, addr(i))
	}
	return fmt.Sprintf("master_job_cache: mysql\nmysql.host: %s\nmysql.port: %d\nmysql.user: %s\nmysql.pass: %s\nmysql.db: %s\n",
		strings.Join(hosts, ","), servers.Port, servers.User, servers.Password, servers.Database)
}

func (s *galera) port() int       { return servers.Port }
func (s *galera) mark(int) string { return "?" }

func (s *galera) open() (all []*sql.DB, err error) {
	for _, n := range s.cluster.Nodes {
		// A read waits until the server has what the others have committed.
		db, err := n.Open(servers.Database, "wsrep_sync_wait", "7")
		if err != nil {
			return all, err
		}
		all = append(all, db)
	}
	return all, nil
}

func (s *galera) hit(server int, what string) (func() error, error) {
	n := s.cluster.Nodes[server]
	switch what {
	case SQLPause:
		return func() error { return n.Signal(syscall.SIGCONT) }, n.Signal(syscall.SIGSTOP)
	case SQLKill:
		return n.Rejoin, n.Kill()
	}
	return n.Rejoin, n.Stop()
}

func (s *galera) whole(ctx context.Context) error { return s.cluster.Whole(ctx) }

func (s *galera) close() error {
	errs := []error{s.cluster.Close()}
	for _, n := range s.cluster.Nodes {
		if n != nil {
			errs = append(errs, os.RemoveAll(n.Dir)) // its log is beside it
		}
	}
	return errors.Join(errs...)
}
