package syndic

import (
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// upper answers presence reports as a mom master does.
type upper struct {
	mu     sync.Mutex
	tree   *topology.Tree
	path   []topology.Ancestor
	wholes int
	pieces int  // accepted
	old    bool // does not support pieces
	lose   int  // lose the pieces before this one
}

func newAbove() *upper { return &upper{tree: topology.NewTree(topology.Node{ID: "top"}, nil)} }

func (a *upper) presence(id string, load *wire.Map) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	life := load.String("life")
	if m := load.Map("piece"); m != nil && !a.old {
		if answer := a.piece(id, life, m); answer != nil {
			return answer
		}
	} else if m := load.Map("tree"); m != nil {
		a.wholes++
		n, err := topology.FromMap(m)
		if err != nil {
			return ""
		}
		at, _ := load.Get("revision")
		revision, _ := at.(int64)
		n.ID, n.State, n.Life = id, topology.Up, life
		if a.tree.Report(n, uint64(revision)) != nil {
			return wire.NewMap("session", false, "loop", true)
		}
	} else if m := load.Map("delta"); m != nil {
		d, err := topology.DeltaFrom(m)
		if err != nil {
			return ""
		}
		_ = a.tree.Apply(id, life, d) // the answer shows if it does not fit
	}
	path := a.path
	if path == nil {
		path = a.tree.Path()
	}
	reply := wire.NewMap("session", true, "node", "top", "tree", int64(a.tree.Have(id, life)), "above", topology.AncestorsWire(path))
	if !a.old {
		reply.Set("pieces", true)
	}
	return reply
}

// piece accepts a piece. It returns an answer for all but the last.
func (a *upper) piece(id, life string, m *wire.Map) any {
	p, err := topology.PieceFrom(m)
	if err != nil {
		return ""
	}
	a.pieces++
	if a.pieces == a.lose {
		a.tree = topology.NewTree(topology.Node{ID: "top"}, nil)
	}
	d, done, err := a.tree.Gather(id, life, p)
	switch {
	case err != nil:
		return wire.NewMap("piece", 0)
	case !done:
		return wire.NewMap("piece", p.N+1)
	case d.From != 0:
		_ = a.tree.Apply(id, life, d)
		return nil
	}
	a.wholes++
	n, err := d.Node(id)
	if err != nil {
		return ""
	}
	n.State, n.Life = topology.Up, life
	if a.tree.Report(n, d.To) != nil {
		return ""
	}
	return nil
}

func (a *upper) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// minion returns the state of a minion in the parent's tree.
func (a *upper) minion(id string) topology.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, _ := a.tree.Node("syn-a")
	m, _ := n.Minion(id)
	return m.State
}

func (a *upper) serve(t *testing.T) *fakeParent {
	p := startParent(t, channeltest.Rules{})
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{"_syndic_return": p.take, "_minion_event": p.hear, "_presence": a.presence}
	})
	return p
}

func TestDifferencesGoUp(t *testing.T) {
	a := newAbove()
	p := a.serve(t)
	n := start(t, nil, p)
	p.AwaitSubscribers(t, 1)
	for _, s := range []topology.State{topology.Up, topology.Down, topology.Up} {
		n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: s})
		waiting.Until(t, "the change", func() bool { return a.minion("web-1") == s })
	}
	n.local.tree.SetVitals(topology.Vitals{Jobs: 7})
	waiting.Until(t, "the figures", func() bool {
		c, _ := a.tree.Node("syn-a")
		return c.Vitals.Jobs == 7 && c.Vitals.Lag >= 0
	})
	a.set(func() {
		if a.wholes > 2 { // the announcement may have been repeated
			t.Errorf("%d whole reports", a.wholes)
		}
		// A parent that lost its tree requests the whole.
		a.tree = topology.NewTree(topology.Node{ID: "top"}, nil)
	})
	n.local.tree.SetMinion(topology.Minion{ID: "web-2", State: topology.Up})
	waiting.Until(t, "all of it", func() bool { return a.minion("web-1") == topology.Up && a.minion("web-2") == topology.Up })
}

// An older parent without deltas gets whole reports.
func TestParentWithoutDifferences(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	p.Change(func(r *channeltest.Rules) {
		r.Handle = map[string]channeltest.Handler{
			"_syndic_return": p.take, "_minion_event": p.hear,
			"_presence": func(string, *wire.Map) any { return wire.NewMap("session", true, "node", "top") },
		}
	})
	n := start(t, nil, p)
	p.Await(t, "_presence", 1)
	n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
	waiting.Until(t, "the whole", func() bool {
		for _, m := range p.Seen("_presence") {
			if m.Has("delta") {
				t.Fatal("delta sent")
			}
			if tree := m.Map("tree"); tree != nil && len(tree.List("minions")) == 1 {
				return true
			}
		}
		return false
	})
}

// A node that finds itself among its ancestors does not use the link, logs why, and recovers when
// the loop is gone.
func TestLoopIsRefusedUntilItIsGone(t *testing.T) {
	a := newAbove()
	p := a.serve(t)
	n := plant(t, nil, p)
	a.set(func() {
		a.path = []topology.Ancestor{{ID: "syn-a", Life: n.local.tree.Life()}, {ID: "top", Life: a.tree.Life()}}
	})
	n.run(t)
	waiting.Until(t, "the problem", func() bool {
		reported := n.local.tree.Snapshot().Problems
		return len(reported) == 1 && reported[0].Kind == topology.Loop
	})
	if up := n.Masters()[p.Addr()]; up {
		t.Error("link in use")
	}
	a.set(func() { a.path = nil })
	waiting.Until(t, "the healed link", func() bool { return n.Masters()[p.Addr()] && len(n.local.tree.Snapshot().Problems) == 0 })
}

// proxy forwards between a node and its parent. While silent it keeps all connections and forwards
// nothing, like a firewall without state or a frozen machine.
type proxy struct {
	ln net.Listener
	to string

	mu     sync.Mutex
	silent chan struct{} // closed while forwarding
	conns  []net.Conn
	said   int // bytes from the parent
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln, to: to, silent: make(chan struct{})}
	close(p.silent)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			d, err := net.DialTimeout("tcp", to, 5*time.Second)
			if err != nil {
				_ = c.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, c, d)
			p.mu.Unlock()
			wg.Go(func() { p.pump(c, d, 0) })
			wg.Go(func() { p.pump(d, c, 1) })
		}
	})
	t.Cleanup(func() {
		p.pass(true)
		_ = ln.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		wg.Wait()
	})
	return p
}

func (p *proxy) pump(from, to net.Conn, says int) {
	defer func() { _, _ = from.Close(), to.Close() }()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		gate := p.silent
		p.said += says
		p.mu.Unlock()
		<-gate
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}

func (p *proxy) pass(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.silent:
		if !on {
			p.silent = make(chan struct{})
		}
	default:
		if on {
			close(p.silent)
		}
	}
}

func (p *proxy) heard() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

// Salt issues #68915, #34973, #48029, #68275: a connection that goes silent without closing leaves
// Salt's syndic deaf until a restart. Here both directions detect it, and the node recovers by
// itself.
func TestUsers68915SilentEdgeHealsItself(t *testing.T) {
	a := newAbove()
	p := a.serve(t)
	ret, pub := startProxy(t, p.Addr()), startProxy(t, net.JoinHostPort(p.Host(), strconv.Itoa(p.PublishPort())))
	n := plant(t, func(c *config.Syndic) {
		c.Upper.Master = []string{ret.addr()}
		_, port, err := net.SplitHostPort(pub.addr())
		if err != nil {
			t.Fatal(err)
		}
		if c.Upper.PublishPort, err = strconv.Atoi(port); err != nil {
			t.Fatal(err)
		}
	}, p)
	n.pace.Beat = 200 * time.Millisecond
	n.run(t)
	up := func() bool { return n.Masters()[ret.addr()] }
	waiting.Until(t, "the link", up)
	for _, silent := range [][]*proxy{{pub}, {ret, pub}} {
		before := pub.heard() // a peer that has never answered a ping may not support it
		waiting.Until(t, "a sign of life", func() bool { return pub.heard() > before })
		for _, x := range silent {
			x.pass(false)
		}
		n.local.commit(t, job(1), "web-1")
		n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
		waiting.Until(t, "the silence", func() bool { return !up() })
		for _, x := range silent {
			x.pass(true)
		}
		waiting.Until(t, "the link again", up)
		waiting.Until(t, "the return", func() bool { return p.has(job(1), "web-1") >= 1 })
		waiting.Until(t, "the tree", func() bool { return a.minion("web-1") == topology.Up })
	}
}

// A restarted parent with new session keys gets a new announcement.
func TestRestartedParentGetsAnnouncement(t *testing.T) {
	a := newAbove()
	p := a.serve(t)
	n := start(t, nil, p)
	waiting.Until(t, "the link", func() bool { return n.Masters()[p.Addr()] })
	for range 2 {
		p.Down()
		waiting.Until(t, "the loss", func() bool { return !n.Masters()[p.Addr()] })
		a.set(func() { a.tree = topology.NewTree(topology.Node{ID: "top"}, nil) })
		p.Up()
		waiting.Until(t, "the link again", func() bool { return n.Masters()[p.Addr()] })
		n.local.tree.SetMinion(topology.Minion{ID: "web-1", State: topology.Up})
		waiting.Until(t, "the whole tree", func() bool { return a.minion("web-1") == topology.Up })
	}
}
