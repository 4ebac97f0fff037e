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

// Options of a [Gossip].
type Options struct {
	// Mode is lan, wan or local: how long the links between the nodes are.
	Mode string
	// Listen is host:port, for TCP and UDP; with the host of one interface.
	Listen string
	// Seeds are host:port of some other nodes. One that answers is enough.
	Seeds []string
	// Keyring names the file of the keys that encrypt; "": nothing is encrypted.
	Keyring string
	// PinFile keeps the keys that nodes were first heard with.
	PinFile string
	// Key signs this node's records.
	Key *rsa.PrivateKey
	// Self tells this node's record; Epoch and Seq are filled in here.
	Self func() Record
	// Vouched gives the fingerprint of the key by which the tree knows a node; ""
	// when it does not. nil: of none.
	Vouched func(id string) string
	Log     *slog.Logger
	Now     func() time.Time

	every time.Duration // of the upkeep; tests shorten it
}

// Gossip is this node among the others.
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
	since map[string]time.Time // by id: since when it is alive, or not
	alive map[string]bool

	closeOnce sync.Once
	closeErr  error
}

const (
	// upkeep is how often the own record is looked at, the keyring is read and
	// lost nodes are sought.
	upkeep = 5 * time.Second
	// leaveWait bounds the farewell.
	leaveWait = time.Second
	// forgetAfter is for how long a node that is gone is listed.
	forgetAfter = 24 * time.Hour
)

// New opens the port. Others hear of the node when [Gossip.Run] runs.
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
		c.RetransmitMult = 4 // with the 2 of the preset, joins at once get lost
	default:
		return nil, fmt.Errorf("gossip: mode %q is none of lan, wan, local", g.o.Mode)
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
	// Compression costs more than it saves, and starves busy nodes until they are
	// taken for dead.
	c.EnableCompression = false
	// A second node of one name would be ignored without a word.
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

// bindHost gives the address to listen on. The mode local needs no keys, so that it hears
// this machine alone.
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
	return "", fmt.Errorf("gossip: mode local listens on a loopback address alone, not on %s: use lan with a keyring between machines", host)
}

// logWriter takes the lines of memberlist, of which hardly one is of use to an
// operator.
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

// Addr is where the node is heard.
func (g *Gossip) Addr() string { return g.list.LocalNode().Address() }

// Run joins and keeps up until ctx ends, then takes leave.
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

// join looks for the seeds while nobody else is known, and for one of them now
// and then, so that two halves that were apart find each other again.
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

// refresh signs a new record of this node if it says something new, and lets the
// others hear it.
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

// rotated reads the keyring again when its file has changed.
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

// Close takes leave of the others and closes the port.
func (g *Gossip) Close() error {
	g.closeOnce.Do(func() {
		g.closeErr = errors.Join(g.list.Leave(leaveWait), g.list.Shutdown())
	})
	return g.closeErr
}
