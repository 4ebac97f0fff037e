//go:build saltpeer

package interop

import (
	"fmt"
	"os"
	"os/user"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/lab/peers"
)

// patience bounds a command.
const patience = peers.Patience

// world holds the daemons of one test.
type world struct {
	t     *testing.T
	dir   string
	nodes []*node
}

// node is a daemon, or a master and the syndic beside it.
type node struct {
	*peers.Node
	w      *world
	events *recorder // of masters
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "ip") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	t.Cleanup(w.end)
	return w
}

// end stops everything, the leaves first.
func (w *world) end() {
	if w.t.Failed() {
		w.dump()
	}
	var wg sync.WaitGroup
	for _, n := range w.nodes {
		wg.Go(func() { _ = n.Stop(5 * time.Second) }) // a Python daemon may well need the SIGKILL
	}
	wg.Wait()
	for _, n := range w.nodes {
		if n.Events != nil {
			n.Events.Close()
		}
	}
	_ = os.RemoveAll(w.dir) // a leftover in the temporary folder
}

// dump shows the last lines of all logs of a failed test.
func (w *world) dump() {
	for _, n := range w.nodes {
		for path, lines := range n.Tails(25) {
			w.t.Logf("%s:\n%s", path, lines)
		}
	}
}

// addresses counts the loopback addresses given out. Two runs side by side get
// different ones.
var addresses atomic.Int32

func address() string {
	n := int(addresses.Add(1))
	return fmt.Sprintf("127.7.%d.%d", 1+os.Getpid()%250, n)
}

func (w *world) node(p *peer, id string) *node {
	w.t.Helper()
	n, err := peers.NewNode(program, w.dir, id, p)
	w.must(err)
	own := &node{Node: n, w: w}
	w.nodes = append(w.nodes, own)
	return own
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// masterConf lays out a master's configuration and records its events.
func (n *node) masterConf(options []string) {
	n.w.t.Helper()
	n.w.must(n.MasterConf(address(), options...))
	n.events = &recorder{n.Events}
}

// minionConf lays out the configuration of a minion or of a syndic's upper side.
func (n *node) minionConf(master string, options []string) {
	n.w.t.Helper()
	n.w.must(n.MinionConf(master, options...))
}

// master starts a master.
func (w *world) master(p *peer, id string, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(options)
	n.Kinds = []string{"master"}
	n.start()
	return n
}

// minion starts a minion below a master; its key stays pending.
func (w *world) minion(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.minionConf(up.Addr, options)
	n.Kinds = []string{"minion"}
	n.start()
	return n
}

// lower starts a master with its syndic below another master: two daemons of
// Salt's, one of ours. The key stays pending.
func (w *world) lower(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	return w.tied(p, id, []*node{up}, options...)
}

// tied is lower below one master or several.
func (w *world) tied(p *peer, id string, ups []*node, options ...string) *node {
	w.t.Helper()
	masters := ups[0].Addr
	if len(ups) > 1 {
		var all []string
		for _, up := range ups {
			all = append(all, up.Addr)
		}
		masters = "[" + strings.Join(all, ", ") + "]"
	}
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+masters))
	n.minionConf(masters, nil)
	n.Kinds = []string{"master", "syndic"}
	if p == nil {
		n.Kinds = []string{"syndic"}
	}
	n.start()
	return n
}

// forwarded starts a master of Salt's with a forwarder of ours beside it.
func (w *world) forwarded(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+up.Addr))
	n.minionConf(up.Addr, nil)
	n.Kinds = []string{"master", peers.Standalone}
	n.start()
	return n
}

// shared lays out a master, a syndic and a minion that share their configuration, and so
// id and key, below another master. None of them is started.
func (w *world) shared(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+up.Addr))
	n.minionConf(up.Addr, nil)
	n.Kinds = []string{"master", "syndic", "minion"}
	return n
}

func login(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}
