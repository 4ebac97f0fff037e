//go:build linux

package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Size is the number of servers of a cluster.
const Size = 3

const (
	// User is the account that mom uses.
	User = "mom"
	// Password is that of User.
	Password = "mom"
	// Database is where User may create tables.
	Database = "salt"
	// Patience bounds the start of a server until it is part of the cluster.
	Patience = 5 * time.Minute
	// leftFor is how long a server may have no connection to the cluster and say so.
	leftFor = 15 * time.Second
)

// Options configure a [Cluster].
type Options struct {
	// Dirs are existing directories, one for each server. They must be short: the path of a socket has at most
	// 107 bytes.
	Dirs      [Size]string
	Addresses [Size]string
	// Within runs f, which starts a process, where a server is.
	Within func(server int, f func() error) error
	// Suspect is how long a server may be silent until the others go on without it.
	Suspect time.Duration
	Note    func(format string, args ...any)
}

// Cluster is three servers of MariaDB that are one Galera cluster.
type Cluster struct {
	Nodes [Size]*Node
	Note  func(format string, args ...any)
	Own   int // how often a server has ended of itself, or had to be restarted to join
	Full  int // how many full copies were made of necessity
}

// New starts a cluster with an empty database. The caller closes the cluster also after an error.
func New(ctx context.Context, o Options) (c *Cluster, err error) {
	c = &Cluster{Note: o.Note}
	for i, dir := range o.Dirs {
		n := &Node{number: i, Dir: dir, Addr: o.Addresses[i], members: strings.Join(o.Addresses[:], ","), suspect: o.Suspect}
		n.within = func(f func() error) error { return o.Within(i, f) }
		if n.account, err = findAccount(dir); err != nil {
			return c, err
		}
		if err := n.connect(); err != nil {
			return c, err
		}
		c.Nodes[i] = n
	}
	return c, c.found(ctx)
}

// found starts the first node, its account, and then the others.
func (c *Cluster) found(ctx context.Context) error {
	first := c.Nodes[0]
	if err := first.install(); err != nil {
		return err
	}
	if err := first.start("--wsrep-new-cluster"); err != nil {
		return err
	}
	if err := c.await(ctx, first, 1, Patience); err != nil {
		return err
	}
	err := first.Do(ctx, fmt.Sprintf("CREATE DATABASE IF NOT EXISTS %s CHARACTER SET utf8mb4; CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY '%s'; "+
		"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON %s.* TO %s@'%%'", Database, User, Password, Database, User))
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	for i, n := range c.Nodes[1:] {
		if err := errors.Join(n.Wipe(), n.start()); err != nil {
			return err
		}
		if err := c.await(ctx, n, i+2, Patience); err != nil {
			return err
		}
	}
	return c.Whole(ctx)
}

// await waits until a node is part of a cluster of a size.
func (c *Cluster) await(ctx context.Context, n *Node, size int, limit time.Duration) error {
	for end := time.Now().Add(limit); ; {
		if n.synced(ctx, size) {
			return nil
		}
		if !n.Running() {
			return fmt.Errorf("%s has ended: %s", n.Name(), n.tail())
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s has not joined within %v: %s", n.Name(), limit, n.tail())
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

func (n *Node) tail() string {
	b, err := os.ReadFile(n.logFile())
	if err != nil {
		return err.Error()
	}
	return string(tail(b))
}

// Whole waits until all servers are one cluster. A server that has ended of itself is started
// again; one that does not join, or has left and stays up, is killed and started, at last without
// its data.
func (c *Cluster) Whole(ctx context.Context) error {
	for try := 0; ; try++ {
		late, err := c.joined(ctx)
		if err != nil || len(late) == 0 {
			return err
		}
		if try == 3 {
			return fmt.Errorf("%s does not join within %v: %s", late[0].Name(), Patience, late[0].tail())
		}
		for _, n := range late {
			c.Own++
			c.Note("%s does not join (try %d), it is killed and started", n.Name(), try+1)
			if err := n.Kill(); err != nil {
				return err
			}
			if try > 0 && len(late) == 1 { // never the data of several
				c.Full++
				if err := n.Wipe(); err != nil {
					return err
				}
			}
			if err := n.Rejoin(); err != nil {
				return err
			}
		}
	}
}

// joined waits until all servers are one cluster, and starts those that have ended. It returns
// the servers that are not part of it after Patience, or earlier one that has left: after an error
// such as a full disk a server closes its connections to the cluster, and does not open them again.
func (c *Cluster) joined(ctx context.Context) (late []*Node, err error) {
	began := time.Now()
	left := map[*Node]time.Time{}
	for {
		late = nil
		ok := true
		for _, n := range c.Nodes {
			if !n.Running() {
				c.Own++
				c.Note("%s has ended of itself and is started", n.Name())
				if err := n.Rejoin(); err != nil {
					return nil, err
				}
			}
			ok = n.synced(ctx, Size) && ok
			if n.status(ctx, "wsrep_local_state_comment") != "Synced" || n.status(ctx, "wsrep_ready") != "ON" {
				late = append(late, n)
			}
			if n.status(ctx, "wsrep_connected") != "OFF" {
				delete(left, n)
			} else if left[n].IsZero() {
				left[n] = time.Now()
			} else if time.Since(left[n]) > leftFor {
				return []*Node{n}, nil
			}
		}
		if ok {
			return nil, nil
		}
		if time.Since(began) > Patience {
			return late, nil
		}
		if err := timing.Sleep(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// Close ends all servers.
func (c *Cluster) Close() error {
	var errs []error
	for _, n := range c.Nodes {
		if n != nil {
			errs = append(errs, n.close())
		}
	}
	return errors.Join(errs...)
}
