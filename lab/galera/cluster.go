//go:build linux

package galera

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/chaos"
)

const (
	size     = 3
	host     = size // the station of the writers
	dbUser   = "mom"
	password = "mom"
	database = "salt"
	// patience bounds the start of a server until it is part of the cluster.
	patience = 5 * time.Minute
	// diskSize is the size of each server's disk.
	diskSize = "size=1g,mode=0755"
)

// network carries what servers and writers say to each other.
type network interface {
	Address(station int) string
	Within(station int, f func() error) error
	Cut(pairs ...[2]int) (heal func())
	Close() error
}

// loopback is the network where namespaces are not permitted. It cannot be cut.
type loopback struct{}

func (loopback) Address(station int) string         { return fmt.Sprintf("127.20.0.%d", station+1) }
func (loopback) Within(_ int, f func() error) error { return f() }
func (loopback) Cut(...[2]int) (heal func())        { return func() {} }
func (loopback) Close() error                       { return nil }

// cluster is three servers.
type cluster struct {
	net   network
	nodes [size]*node
	note  func(format string, args ...any)
	own   int // how often a server has ended of itself, or had to be restarted to join
	full  int // how many full copies were made of necessity
}

// newCluster starts a cluster with an empty database. dir must be short: the path of a socket has
// at most 107 bytes. In namespaces each server has a small disk of its own, a tmpfs. The caller
// closes the cluster also after an error.
func newCluster(ctx context.Context, dir string, namespaces bool, suspect time.Duration, note func(string, ...any)) (c *cluster, err error) {
	c = &cluster{net: loopback{}, note: note}
	if namespaces {
		net, err := chaos.NewStations(size+1, host)
		if err != nil {
			return c, err
		}
		c.net = net
	}
	var addrs []string
	for i := range size {
		addrs = append(addrs, c.net.Address(i))
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return c, err
	}
	for i := range size {
		n := &node{number: i, dir: filepath.Join(dir, fmt.Sprintf("n%d", i+1)), addr: addrs[i], members: strings.Join(addrs, ","), suspect: suspect}
		n.within = func(f func() error) error { return c.net.Within(i, f) }
		if err := os.Mkdir(n.dir, 0o755); err != nil {
			return c, err
		}
		if namespaces {
			if err := unix.Mount("galera", n.dir, "tmpfs", 0, diskSize); err != nil {
				return c, fmt.Errorf("a disk for %s: %w", n.name(), err)
			}
		}
		if n.account, err = findAccount(n.dir); err != nil {
			return c, err
		}
		if err := n.connect(); err != nil {
			return c, err
		}
		c.nodes[i] = n
	}
	return c, c.found(ctx)
}

// found starts the first node, its account, and then the others.
func (c *cluster) found(ctx context.Context) error {
	first := c.nodes[0]
	if err := first.install(); err != nil {
		return err
	}
	if err := first.start("--wsrep-new-cluster"); err != nil {
		return err
	}
	if err := c.await(ctx, first, 1, patience); err != nil {
		return err
	}
	err := first.do(ctx, fmt.Sprintf("CREATE DATABASE IF NOT EXISTS %s CHARACTER SET utf8mb4; CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY '%s'; "+
		"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON %s.* TO %s@'%%'", database, dbUser, password, database, dbUser))
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	for i, n := range c.nodes[1:] {
		if err := errors.Join(n.wipe(), n.start()); err != nil {
			return err
		}
		if err := c.await(ctx, n, i+2, patience); err != nil {
			return err
		}
	}
	return c.whole(ctx)
}

// await waits until a node is part of a cluster of a size.
func (c *cluster) await(ctx context.Context, n *node, size int, limit time.Duration) error {
	for end := time.Now().Add(limit); ; {
		if n.synced(ctx, size) {
			return nil
		}
		if !n.running() {
			return fmt.Errorf("%s has ended: %s", n.name(), n.tail())
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s has not joined within %v: %s", n.name(), limit, n.tail())
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func (n *node) tail() string {
	b, err := os.ReadFile(n.logFile())
	if err != nil {
		return err.Error()
	}
	return string(tail(b))
}

// whole waits until all servers are one cluster. A server that has ended of itself is started
// again; one that does not join is killed and started, at last without its data.
func (c *cluster) whole(ctx context.Context) error {
	for try := 0; ; try++ {
		late, err := c.joined(ctx)
		if err != nil || len(late) == 0 {
			return err
		}
		if try == 3 {
			return fmt.Errorf("%s does not join within %v: %s", late[0].name(), patience, late[0].tail())
		}
		for _, n := range late {
			c.own++
			c.note("%s does not join (try %d), it is killed and started", n.name(), try+1)
			if err := n.kill(); err != nil {
				return err
			}
			if try > 0 && len(late) == 1 { // never the data of several
				c.full++
				if err := n.wipe(); err != nil {
					return err
				}
			}
			if err := n.rejoin(); err != nil {
				return err
			}
		}
	}
}

// joined waits until all servers are one cluster, and starts those that have ended. It returns
// the servers that are not part of it after patience.
func (c *cluster) joined(ctx context.Context) (late []*node, err error) {
	for end := time.Now().Add(patience); ; {
		late = nil
		ok := true
		for _, n := range c.nodes {
			if !n.running() {
				c.own++
				c.note("%s has ended of itself and is started", n.name())
				if err := n.rejoin(); err != nil {
					return nil, err
				}
			}
			ok = n.synced(ctx, size) && ok
			if n.status(ctx, "wsrep_local_state_comment") != "Synced" || n.status(ctx, "wsrep_ready") != "ON" {
				late = append(late, n)
			}
		}
		if ok {
			return nil, nil
		}
		if time.Now().After(end) {
			return late, nil
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// close ends all servers and the network.
func (c *cluster) close() error {
	var errs []error
	for _, n := range c.nodes {
		if n != nil {
			errs = append(errs, n.close())
		}
	}
	return errors.Join(append(errs, c.net.Close())...)
}
