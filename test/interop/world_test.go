//go:build saltpeer

package interop

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// world holds the daemons of one test.
type world struct {
	t     *testing.T
	dir   string
	nodes []*node
}

// node is a daemon, or a master and the syndic beside it.
type node struct {
	w      *world
	id     string
	dir    string
	conf   string // folder for -c
	addr   string // of masters
	peer   *peer  // nil: ours
	kinds  []string
	procs  map[string]*process
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
		for _, p := range n.procs {
			wg.Go(func() { _ = p.stop(5 * time.Second) }) // a Python daemon may well need the SIGKILL
		}
	}
	wg.Wait()
	for _, n := range w.nodes {
		if n.events != nil {
			n.events.close()
		}
	}
	_ = os.RemoveAll(w.dir) // a leftover in the temporary folder
}

// dump shows the last lines of all logs of a failed test.
func (w *world) dump() {
	for _, n := range w.nodes {
		logs, _ := filepath.Glob(filepath.Join(n.dir, "log", "*"))
		for _, path := range logs {
			b, err := os.ReadFile(path)
			if err != nil || len(b) == 0 {
				continue
			}
			lines := strings.Split(strings.TrimSpace(string(b)), "\n")
			w.t.Logf("%s:\n%s", path, strings.Join(lines[max(0, len(lines)-25):], "\n"))
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

func login(t *testing.T) string {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

func (w *world) node(p *peer, id string) *node {
	n := &node{w: w, id: id, peer: p, dir: filepath.Join(w.dir, id), procs: map[string]*process{}}
	n.conf = filepath.Join(n.dir, "etc")
	for _, d := range []string{"etc", "log", "srv", "pillar"} {
		if err := os.MkdirAll(filepath.Join(n.dir, d), 0o700); err != nil {
			w.t.Fatal(err)
		}
	}
	w.nodes = append(w.nodes, n)
	return n
}

func (n *node) write(name, text string, more []string) {
	n.w.t.Helper()
	text = strings.ReplaceAll(text, "DIR", n.dir) + strings.Join(more, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(n.conf, name), []byte(text), 0o600); err != nil {
		n.w.t.Fatal(err)
	}
}

// masterConf lays out a master's configuration: the same file for ours and for
// Salt's, which is a case in itself.
func (n *node) masterConf(options []string) {
	n.addr = address()
	n.write("master", "id: "+n.id+"\ninterface: "+n.addr+"\nuser: "+login(n.w.t)+`
pki_dir: DIR/pki
cachedir: DIR/cache
sock_dir: DIR/sock
log_file: DIR/log/master
key_logfile: DIR/log/key
log_level_logfile: info
pidfile: DIR/master.pid
syndic_pidfile: DIR/syndic.pid
syndic_log_file: DIR/log/syndic
syndic_dir: DIR/cache/syndics
worker_threads: 3
file_roots: {base: [DIR/srv]}
pillar_roots: {base: [DIR/pillar]}
minimum_auth_version: 0
`, options)
}

// minionConf lays out the configuration of a minion or of a syndic's upper side.
func (n *node) minionConf(master string, options []string) {
	n.write("minion", "id: "+n.id+"\nmaster: "+master+"\nuser: "+login(n.w.t)+`
pki_dir: DIR/minion-pki
cachedir: DIR/minion-cache
sock_dir: DIR/minion-sock
log_file: DIR/log/minion
log_level_logfile: info
pidfile: DIR/minion.pid
acceptance_wait_time: 1
random_reauth_delay: 1
recon_default: 100
recon_max: 1000
auth_timeout: 5
mine_enabled: False
enable_fqdns_grains: False
enable_gpu_grains: False
`, options)
}

// master starts a master.
func (w *world) master(p *peer, id string, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(options)
	n.kinds = []string{"master"}
	n.events = record(filepath.Join(n.dir, "sock"))
	n.start()
	return n
}

// minion starts a minion below a master; its key stays pending.
func (w *world) minion(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.minionConf(up.addr, options)
	n.kinds = []string{"minion"}
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
	masters := ups[0].addr
	if len(ups) > 1 {
		var all []string
		for _, up := range ups {
			all = append(all, up.addr)
		}
		masters = "[" + strings.Join(all, ", ") + "]"
	}
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+masters))
	n.minionConf(masters, nil)
	n.kinds = []string{"master", "syndic"}
	if p == nil {
		n.kinds = []string{"syndic"}
	}
	n.events = record(filepath.Join(n.dir, "sock"))
	n.start()
	return n
}

// forwarded starts a master of Salt's with a forwarder of ours beside it.
func (w *world) forwarded(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+up.addr))
	n.minionConf(up.addr, nil)
	n.kinds = []string{"master", standalone}
	n.events = record(filepath.Join(n.dir, "sock"))
	n.start()
	return n
}

// shared lays out a master, a syndic and a minion that share their configuration, and so
// id and key, below another master. None of them is started.
func (w *world) shared(p *peer, id string, up *node, options ...string) *node {
	w.t.Helper()
	n := w.node(p, id)
	n.masterConf(append(options, "syndic_master: "+up.addr))
	n.minionConf(up.addr, nil)
	n.kinds = []string{"master", "syndic", "minion"}
	n.events = record(filepath.Join(n.dir, "sock"))
	return n
}

// standalone is the kind of our forwarder beside a master of Salt's.
const standalone = "standalone"

func (n *node) start() {
	n.w.t.Helper()
	for _, kind := range n.kinds {
		n.startOne(kind)
	}
}

func (n *node) startOne(kind string) {
	n.w.t.Helper()
	args := []string{program, kind, "-c", n.conf, "-l", "info"}
	switch {
	case kind == standalone:
		args = []string{program, "syndic", "--standalone", "-c", n.conf, "-l", "info"}
	case n.peer != nil:
		args = []string{n.peer.bin("salt-" + kind), "-c", n.conf, "-l", "warning"}
	}
	p, err := launch(kind+" "+n.id, filepath.Join(n.dir, "log", kind+".console"), args...)
	if err != nil {
		n.w.t.Fatal(err)
	}
	n.procs[kind] = p
	if kind == "master" || n.peer == nil && kind == "syndic" {
		n.awaitPorts()
	}
}

func (n *node) awaitPorts() {
	n.w.t.Helper()
	waiting.Within(n.w.t, 60*time.Second, "ports of "+n.id, func() bool {
		for _, port := range []string{"4505", "4506"} {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(n.addr, port), time.Second)
			if err != nil {
				return false
			}
			_ = c.Close() // only knocking
		}
		return n.events.isOpen()
	})
}

// stop ends the daemons of a node by SIGTERM.
func (n *node) stop() {
	n.w.t.Helper()
	for kind, p := range n.procs {
		if err := p.stop(20 * time.Second); err != nil && n.peer == nil {
			n.w.t.Error(err)
		}
		delete(n.procs, kind)
	}
}

// crash ends them by SIGKILL.
func (n *node) crash() {
	for kind, p := range n.procs {
		p.kill()
		delete(n.procs, kind)
	}
}

func (n *node) keyPath(folder, id string) string { return filepath.Join(n.dir, "pki", folder, id) }

func (n *node) pending(id string) bool {
	_, err := os.Stat(n.keyPath("minions_pre", id))
	return err == nil
}

// accept waits for the keys and accepts them as salt-key does: by moving the file.
func (n *node) accept(ids ...string) {
	n.w.t.Helper()
	for _, id := range ids {
		waiting.Within(n.w.t, 60*time.Second, "key of "+id+" at "+n.id, func() bool { return n.pending(id) })
		if err := os.Rename(n.keyPath("minions_pre", id), n.keyPath("minions", id)); err != nil {
			n.w.t.Fatal(err)
		}
	}
}

// joined waits for the start events of minions or syndics at a master.
func (n *node) joined(since int, kind string, ids ...string) {
	n.w.t.Helper()
	for _, id := range ids {
		n.events.await(n.w.t, 90*time.Second, since, "salt/"+kind+"/"+id+"/start")
	}
}

// run runs a program of Salt's, or the command of ours that stands for it, in the
// configuration of a node.
func (n *node) run(p *peer, name string, args ...string) result {
	n.w.t.Helper()
	argv := []string{program, name}
	if p != nil {
		argv = []string{p.bin(name)}
	}
	return command(n.w.t, exec.Command(argv[0], append(append(argv[1:], "-c", n.conf), args...)...))
}

// salt runs the command salt that belongs to the master. Salt's own forgets the
// exit code of minions with --static.
func (n *node) salt(args ...string) result {
	n.w.t.Helper()
	return n.run(n.peer, "salt", append([]string{"--out=json"}, args...)...)
}

// find gives the node of an id.
func (w *world) find(id string) *node {
	for _, n := range w.nodes {
		if n.id == id {
			return n
		}
	}
	w.t.Fatalf("there is no node %s", id)
	return nil
}
