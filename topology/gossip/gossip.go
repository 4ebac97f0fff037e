package gossip

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Options configure a [Gossip].
type Options struct {
	// Mode is lan, wan or local, by the latency between nodes.
	Mode string
	// Listen is host:port for TCP and UDP, with the host of one interface.
	Listen string
	// Seeds are host:port of other nodes. One that answers is enough.
	Seeds []string
	// Keyring is the file with the encryption keys; "": no encryption.
	Keyring string
	// PinFile stores the key first seen for each node.
	PinFile string
	// Key signs this node's records.
	Key *rsa.PrivateKey
	// Self returns this node's record; Epoch and Seq are set here.
	Self func() Record
	// Vouched returns the fingerprint of the key that the tree knows for a node, or "". nil: always
	// "".
	Vouched func(id string) string
	Log     *slog.Logger
	Now     func() time.Time

	every time.Duration // interval of maintenance; tests shorten it
}

// Gossip is this node as a member.
type Gossip struct {
	o     Options
	log   *slog.Logger
	now   func() time.Time
	epoch uint64
	table *table
	list  *memberlist.Memberlist
	ring  *memberlist.Keyring
	queue *memberlist.TransmitLimitedQueue

	mu    sync.Mutex
	seq   uint64
	meta  []byte
	last  Record
	since map[string]time.Time // by id: when it became alive or not
	alive map[string]bool

	closeOnce sync.Once
	closeErr  error
}

const (
	// upkeep is the interval at which the own record is refreshed, the keyring is read, and lost
	// nodes are contacted.
	upkeep = 5 * time.Second
	// leaveWait bounds the announcement of leaving.
	leaveWait = time.Second
	// forgetAfter is how long a dead node is listed.
	forgetAfter = 24 * time.Hour
)

// New opens the port. The node joins when [Gossip.Run] runs.
func New(o Options) (*Gossip, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Vouched == nil {
		o.Vouched = func(string) string { return "" }
	}
	if o.every == 0 {
		o.every = upkeep
	}
	p, err := openPins(o.PinFile)
	if err != nil {
		return nil, err
	}
	g := &Gossip{
		o: o, log: o.Log, now: o.Now, epoch: uint64(o.Now().UnixNano()),
		table: newTable(o.Vouched, p), since: map[string]time.Time{}, alive: map[string]bool{},
	}
	c, err := g.config()
	if err != nil {
		return nil, err
	}
	g.queue = &memberlist.TransmitLimitedQueue{RetransmitMult: 4, NumNodes: g.members}
	if err := g.refresh(); err != nil {
		return nil, err
	}
	list, err := memberlist.Create(c)
	if err != nil {
		return nil, fmt.Errorf("gossip: listen on %s: %w", o.Listen, err)
	}
	g.mu.Lock()
	g.list = list
	g.mu.Unlock()
	return g, nil
}

func (g *Gossip) config() (*memberlist.Config, error) {
	var c *memberlist.Config
	switch g.o.Mode {
	case "lan":
		c = memberlist.DefaultLANConfig()
	case "wan":
		c = memberlist.DefaultWANConfig()
	case "local":
		c = memberlist.DefaultLocalConfig()
		c.RetransmitMult = 4 // with the preset of 2, concurrent joins get lost
	default:
		return nil, fmt.Errorf("gossip: unknown mode %q; use lan, wan or local", g.o.Mode)
	}
	host, port, err := net.SplitHostPort(g.o.Listen)
	if err != nil {
		return nil, fmt.Errorf("gossip: address %q: %w", g.o.Listen, err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("gossip: port of %q: %w", g.o.Listen, err)
	}
	if host, err = bindHost(g.o.Mode, host); err != nil {
		return nil, err
	}
	c.BindAddr, c.BindPort, c.AdvertisePort = host, n, n
	// Compression costs more than it saves, and delays busy nodes until they count as dead.
	c.EnableCompression = false
	// memberlist silently ignores a second node of one name.
	c.Name = fmt.Sprintf("%s/%x", g.o.Self().ID, g.epoch)
	c.Delegate, c.Events, c.Conflict = delegate{g}, events{g}, delegate{g}
	c.Logger = log.New(logWriter{g.log}, "", 0)
	if g.o.Keyring == "" {
		return c, nil
	}
	keys, err := readKeyring(g.o.Keyring)
	if err != nil {
		return nil, err
	}
	if g.ring, err = memberlist.NewKeyring(keys, keys[0]); err != nil {
		return nil, fmt.Errorf("gossip: keyring: %w", err)
	}
	c.Keyring, c.GossipVerifyIncoming, c.GossipVerifyOutgoing = g.ring, true, true
	return c, nil
}

// bindHost returns the address to listen on. Mode local needs no keys, so it is limited to this
// machine.
func bindHost(mode, host string) (string, error) {
	ip := net.ParseIP(host)
	any := host == "" || ip != nil && ip.IsUnspecified()
	switch {
	case mode != "local" && any:
		return "0.0.0.0", nil
	case mode == "local" && any:
		//mutant:gossip-stays-local
		return "127.0.0.1", nil
	case mode == "local" && host == "localhost", mode != "local", ip != nil && ip.IsLoopback():
		return host, nil
	}
	return "", fmt.Errorf("gossip: mode local requires a loopback address, not %s; use lan with a keyring between machines", host)
}

// logWriter writes memberlist's log at debug level.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(b []byte) (int, error) {
	w.log.Debug("gossip", "says", string(b))
	return len(b), nil
}

func (g *Gossip) members() int {
	g.mu.Lock()
	list := g.list
	g.mu.Unlock()
	if list == nil {
		return 1
	}
	return list.NumMembers()
}

// Addr returns the address of this node.
func (g *Gossip) Addr() string { return g.list.LocalNode().Address() }

// Run joins and maintains the membership until ctx ends, then leaves.
func (g *Gossip) Run(ctx context.Context) error {
	var stamp time.Time
	for first := true; ; first = false {
		if err := g.refresh(); err != nil {
			g.log.Error("own gossip record not built", "err", err)
		}
		stamp = g.rotated(stamp)
		g.join(first)
		g.forget()
		t := time.NewTimer(g.o.every + rand.N(g.o.every/5+1))
		select {
		case <-ctx.Done():
			t.Stop()
			return g.Close()
		case <-t.C:
		}
	}
}

// join contacts the seeds while no other node is known, and a random one occasionally, so that
// separated halves merge.
func (g *Gossip) join(first bool) {
	if len(g.o.Seeds) == 0 {
		return
	}
	seeds := g.o.Seeds
	if g.list.NumMembers() > 1 && !first {
		if rand.IntN(6) > 0 {
			return
		}
		seeds = []string{seeds[rand.IntN(len(seeds))]}
	}
	if n, err := g.list.Join(seeds); err != nil && n == 0 {
		g.log.Info("no gossip peers found", "seeds", seeds, "err", err)
	}
}

// refresh signs and spreads a new record of this node if it has changed.
func (g *Gossip) refresh() error {
	r := g.o.Self()
	g.mu.Lock()
	r.Epoch, r.Seq = g.epoch, g.last.Seq
	if r == g.last && g.last.Seq > 0 {
		g.mu.Unlock()
		return nil
	}
	g.seq++
	r.Seq = g.seq
	g.mu.Unlock()
	s, err := sign(r, g.o.Key)
	if err != nil {
		return err
	}
	if _, err := g.table.offer(s); err != nil {
		return err
	}
	g.mu.Lock()
	g.last = r
	g.meta = metaOf(s)
	list := g.list
	g.mu.Unlock()
	g.spread(s)
	if list != nil {
		if err := list.UpdateNode(leaveWait); err != nil {
			g.log.Debug("gossip digest not sent immediately", "err", err)
		}
	}
	return nil
}

// rotated reloads the keyring when its file has changed.
func (g *Gossip) rotated(stamp time.Time) time.Time {
	if g.ring == nil {
		return stamp
	}
	fi, err := os.Stat(g.o.Keyring)
	if err == nil && fi.ModTime().Equal(stamp) {
		return stamp
	}
	var keys [][]byte
	if err == nil {
		keys, err = readKeyring(g.o.Keyring)
	}
	if err == nil {
		err = rotate(g.ring, keys)
	}
	if err != nil {
		g.log.Error("gossip keyring not reloaded", "err", err)
		return stamp
	}
	if !stamp.IsZero() {
		g.log.Info("gossip keyring reloaded", "keys", len(keys))
	}
	return fi.ModTime()
}

// Close leaves and closes the port.
func (g *Gossip) Close() error {
	g.closeOnce.Do(func() {
		g.closeErr = errors.Join(g.list.Leave(leaveWait), g.list.Shutdown())
	})
	return g.closeErr
}
