//go:build linux

package galera

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/lab/chaos"
	"github.com/momtree/mom/lab/galera/servers"
)

const (
	size     = servers.Size
	host     = size // the station of the writers
	database = servers.Database
	patience = servers.Patience
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

// cluster is three servers and their network.
type cluster struct {
	*servers.Cluster
	net network
}

// newCluster starts a cluster with an empty database. dir must be short: the path of a socket has
// at most 107 bytes. In namespaces each server has a small disk of its own, a tmpfs. The caller
// closes the cluster also after an error.
func newCluster(ctx context.Context, dir string, namespaces bool, suspect time.Duration, note func(string, ...any)) (c *cluster, err error) {
	c = &cluster{net: loopback{}, Cluster: &servers.Cluster{}}
	if namespaces {
		net, err := chaos.NewStations(size+1, host)
		if err != nil {
			return c, err
		}
		c.net = net
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return c, err
	}
	o := servers.Options{Within: c.net.Within, Suspect: suspect, Note: note}
	for i := range size {
		o.Dirs[i], o.Addresses[i] = filepath.Join(dir, fmt.Sprintf("n%d", i+1)), c.net.Address(i)
		if err := os.Mkdir(o.Dirs[i], 0o755); err != nil {
			return c, err
		}
		if !namespaces {
			continue
		}
		if err := unix.Mount("galera", o.Dirs[i], "tmpfs", 0, diskSize); err != nil {
			return c, fmt.Errorf("a disk for n%d: %w", i+1, err)
		}
	}
	c.Cluster, err = servers.New(ctx, o)
	return c, err
}

// close ends all servers and the network.
func (c *cluster) close() error { return errors.Join(c.Cluster.Close(), c.net.Close()) }
