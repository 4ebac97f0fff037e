package grains

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Options configure [Collect].
type Options struct {
	// ID is the minion id.
	ID string
	// Master is the value of the master option.
	Master any
	// ConfDir is the folder of the file grains with the host's static grains.
	ConfDir string
	// Static are the grains of the minion's configuration, a map. They override the file,
	// and the file overrides collected grains.
	Static any
	// Version is the version of this program; "" means [MomVersion].
	Version string
	// Root is a prefix of /proc, /sys and /etc; "" is the real root.
	Root string
	// FQDNs enables the lookup of the names of all addresses of the host
	// (enable_fqdns_grains).
	FQDNs bool
	// DNSTimeout bounds all name lookups together; zero means 2 s.
	DNSTimeout time.Duration
	// Log logs unreadable files; nil means [slog.Default].
	Log *slog.Logger
}

// resolver is the used part of [net.Resolver].
type resolver interface {
	LookupCNAME(ctx context.Context, host string) (string, error)
	LookupNetIP(ctx context.Context, network, host string) ([]addr, error)
	LookupAddr(ctx context.Context, addr string) ([]string, error)
}

// uname is the result of the system call uname.
type uname struct{ sysname, nodename, release, version, machine string }

// collector collects grains from one file tree. Tests replace what does not come from
// files.
type collector struct {
	Options
	tree       tree
	uname      uname
	interfaces func() ([]iface, error)
	resolver   resolver
	getenv     func(string) string
	now        func() time.Time
}

// Collect returns the grains. It does not fail: grains that cannot be read are absent.
func Collect(ctx context.Context, o Options) *value.Map {
	if o.Version == "" {
		o.Version = MomVersion()
	}
	o.Version = strings.TrimPrefix(o.Version, "v")
	if o.DNSTimeout <= 0 {
		o.DNSTimeout = 2 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	c := &collector{
		Options: o, tree: tree(o.Root), uname: kernelName(), interfaces: hostInterfaces,
		resolver: netResolver{&net.Resolver{PreferGo: true}}, getenv: os.Getenv, now: time.Now,
	}
	return c.collect(ctx)
}

func (c *collector) collect(ctx context.Context) *value.Map {
	g := value.NewMap("id", c.ID)
	// Look up names while the files are read.
	ctx, cancel := context.WithTimeout(ctx, c.DNSTimeout)
	defer cancel()
	names := make(chan *value.Map, 1)
	go func() { names <- c.names(ctx) }()
	for _, section := range c.sections() {
		lay(g, section())
	}
	lay(g, c.virtualization(g))
	lay(g, <-names)
	c.static(g)
	return g
}

// static merges the operator's grains over the collected ones.
func (c *collector) static(g *value.Map) {
	if c.ConfDir != "" {
		file, err := ReadFile(c.ConfDir)
		if err != nil {
			c.Log.Warn("static grains ignored", "err", err)
		} else {
			lay(g, file)
		}
	}
	switch s := c.Static.(type) {
	case *value.Map:
		if s != nil {
			lay(g, s)
		}
	case map[string]any:
		lay(g, wire.Normal(s).(*value.Map))
	}
}

// lay merges src over dst.
func lay(dst, src *value.Map) {
	src.Range(func(k, v any) bool {
		dst.Set(k, v)
		return true
	})
}

func kernelName() uname {
	u, _ := posix.Uname()
	return uname{u.System, u.Node, u.Release, u.Version, u.Machine}
}

func (c *collector) kernel() *value.Map {
	u := c.uname
	return value.NewMap(
		"kernel", u.sysname, "nodename", u.nodename, "kernelrelease", u.release,
		"kernelversion", u.version, "cpuarch", u.machine,
	)
}
