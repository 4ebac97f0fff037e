package master

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

func init() {
	own.Register(server.Command{
		Name: "_presence", Who: server.Proven,
		Args: []string{"session", "role", "version", "running", "back", "heard", "life", "tree", "delta", "revision", "pieces", "piece", "now"},
		Doc: `
A minion or node says that it is there, and what is below it; our own addition.

session
    What its subscription carries, so that the master knows the connection.
role, version, running, back
    What it is, of which version, the jobs it works on, and whether it was here before.
heard
    The last publication that it heard; without it, it fetches none.
life, tree, delta, revision, pieces, piece, now
    Of a node: its start, what is below it or what has changed there, in pieces if
    that is much, and its clock.
`,
	}, func(m *Master) server.Handler { return m.onPresence })
}

// onPresence serves `_presence`, our own addition: a minion or node names the
// session that its subscription carries, and a node tells what is below it.
func (m *Master) onPresence(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("presence of %s: %w", r.ID, err)
	}
	a := presence.Announcement{
		ID: r.ID, Session: d.String("session"), Role: d.String("role"), Version: d.String("version"),
		Running: wire.Texts(d.List("running")), Back: d.Bool("back"),
	}
	l, listens := listenerOf(r.ID, d)
	missed, head := []string(nil), int64(0)
	if listens {
		missed, head = m.missedJobs(l)
		// It is about to be given them: nobody has to ask whether it runs them.
		a.Running = append(a.Running, missed...)
	}
	if a.Role == presence.Syndic {
		if err := m.policy.Join(r.ID); err != nil {
			return nil, err
		}
	} else {
		m.policy.ActsAsMinion(r.ID)
	}
	answer, err := m.takePiece(a, d)
	if answer == nil && err == nil {
		err = m.takeTree(a, d)
	}
	switch {
	case errors.Is(err, topology.ErrLoop):
		return m.refuseLoop(a, err), nil
	case err != nil:
		return nil, err
	case answer != nil:
		return answer, nil
	}
	connected, err := m.presence.Announce(a)
	if err != nil {
		return nil, err
	}
	reply := m.greetBack(greeting{peer: a, load: d, connected: connected})
	if listens {
		reply.Set("epoch", m.kept.Epoch())
		reply.Set("head", head)
		reply.Set("missed", len(missed))
	}
	return reply, nil
}

// greeting is an announcement of presence that has been taken.
type greeting struct {
	peer      presence.Announcement
	load      *wire.Map // as it came
	connected bool      // its subscription is known
}

// greetBack is the answer to an announcement. A peer ignores the fields that it
// does not know.
func (m *Master) greetBack(g greeting) *wire.Map {
	reply := wire.NewMap("session", g.connected, "node", m.node, "heartbeat", m.cfg.ZmqHeartbeatIvl.Seconds())
	m.tellPruned(g, reply)
	m.tellRevision(g, reply)
	return reply
}

func (m *Master) onSubscribe(p *zmtp.Peer, topic string) {
	if p.Identity() == "" {
		m.onNameless(p, topic)
	} else {
		m.presence.Subscribed(p, p.Identity())
	}
	m.late.Subscribed()
	m.stats.Subscribed.Add(1)
}

func (m *Master) onUnsubscribed(p *zmtp.Peer, _ error) {
	m.who.Remove(p.ID())
	m.presence.Closed(p.ID())
}

// peerUp and peerDown carry changes of presence into the tree and the ledger.
func (m *Master) peerUp(a presence.Announcement) {
	if a.Role == presence.Syndic {
		if m.tree.SetNodeState(a.ID, topology.Up) {
			m.tellNode(treewatch.NodeUp, a.ID)
		}
		m.jobs.NodeUp(a.ID)
		return
	}
	m.tree.SetMinion(topology.Minion{ID: a.ID, State: topology.Up, Version: a.Version})
	if a.Stock {
		m.jobs.StockUp(a.ID)
		return
	}
	running := make(map[string]bool, len(a.Running))
	for _, jid := range a.Running {
		running[jid] = true
	}
	m.jobs.MinionUp(a.ID, running)
	m.failover.Announced(a)
}

func (m *Master) peerDown(p presence.Peer) {
	if p.Role == presence.Syndic {
		if m.tree.SetNodeState(p.ID, topology.Down) {
			m.tellNode(treewatch.NodeDown, p.ID)
		}
		m.jobs.NodeDown(p.ID)
		return
	}
	m.tree.SetMinion(topology.Minion{ID: p.ID, State: topology.Down, Version: p.Version})
	wait := time.Duration(0)
	if p.Stock {
		wait = m.stockWait()
	}
	m.jobs.MinionDown(p.ID, wait)
}

// missLost ends the wait of open jobs for what is behind nodes that have not come
// back after this master's start. Minions of its own have a deadline already.
func (m *Master) missLost() {
	for _, p := range m.presence.Lost() {
		if p.Role == presence.Syndic {
			m.log.Warn("A node has not come back since the start of this master; open jobs do without it", "node", p.ID)
			m.jobs.NodeDown(p.ID)
		}
	}
}

func (m *Master) nodeState(id string) topology.State {
	live, _ := m.presence.Node(id)
	return treewatch.StateOf(live)
}

// plantTree enters all accepted keys; presence corrects them as peers connect.
func (m *Master) plantTree() {
	for _, id := range m.keys.List(keys.Accepted) {
		m.growTree(id)
	}
}

func (m *Master) growTree(id string) {
	if m.policy.IsNode(id) {
		m.tree.SetNodeState(id, m.nodeState(id))
		return
	}
	m.tree.SetMinion(topology.Minion{ID: id, State: treewatch.StateOf(m.presence.Minion(id).Live)})
}

// presenceFile keeps who has announced presence before, so that after a restart
// of the master a minion that is gone is not taken for a silent Python one.
const presenceFile = "presence.p"

func loadPeers(cachedir string) ([]presence.Peer, error) {
	path := filepath.Join(cachedir, presenceFile)
	v, err := wire.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, ok := v.([]any)
	if !ok && v != nil {
		return nil, wire.SpoiltFile(path, fmt.Errorf("%w: want a list, have %T", wire.ErrType, v))
	}
	var out []presence.Peer
	for _, row := range rows {
		if f := wire.Texts(asList(row)); len(f) == 3 {
			out = append(out, presence.Peer{ID: f[0], Role: f[1], Version: f[2]})
		}
	}
	return out, nil
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func (m *Master) savePeers() error {
	if !m.presence.TakeChanged() {
		return nil
	}
	rows := []any{}
	for _, p := range m.presence.Peers() {
		if p.Stock { // it is asked again
			continue
		}
		rows = append(rows, []any{p.ID, p.Role, p.Version})
	}
	b, err := wire.EncodeBus(rows)
	if err != nil {
		return fmt.Errorf("encode known peers: %w", err)
	}
	if err := crypt.WriteFileLazy(filepath.Join(m.cfg.Cachedir, presenceFile), b, 0o600); err != nil {
		m.presence.PutChanged()
		return err
	}
	return nil
}
