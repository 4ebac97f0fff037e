package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/returners/memory"
	forwarding "github.com/momtree/mom/syndic/publications"
	"github.com/momtree/mom/topology"
)

const (
	// own is the user that each master runs as. It is not root, so that a user called root
	// is one among others.
	own = "salt"
	// eauth is the login service of all users.
	eauth = "file"
)

// version is what nodes of ours report; one of Salt's reports none.
const version = "test"

// tier is one master: the parts of the product that decide, put together as master.New does.
type tier struct {
	w       *world
	id      string
	minions []*minion
	below   map[string]*tier
	salts   bool
	conns   map[string]uint64 // of the peers right below

	cfg          *config.Master
	keys         *keys.Ring
	tok          []byte // by which peers prove who they are
	control      *access.Control
	policy       *ownership.Policy
	service      *publish.Service
	publications *publications.Service
	tree         *topology.Tree
	jids         *jid.Generator
	starting     any   // the Ref of the job that is being started
	fault        error // of a delivery
}

// newTier makes a master and all below it.
func newTier(t testing.TB, w *world, p *place, above *tier) *tier {
	t.Helper()
	x := &tier{w: w, id: p.id, minions: p.minions, below: map[string]*tier{}, salts: p.salts, conns: map[string]uint64{}}
	self := topology.Node{ID: p.id, Role: "syndic", Version: version}
	if above == nil {
		self.Role = "master"
	}
	if x.salts {
		self.Version = ""
	}
	x.tree = topology.NewTree(self, time.Now)
	for i, m := range p.minions {
		x.conns[m.id] = uint64(1000 + i)
		w.tierOf[m.id] = x
		x.tree.SetMinion(topology.Minion{ID: m.id, State: topology.Up})
	}
	for i, b := range p.below {
		x.conns[b.id] = uint64(1 + i)
		x.below[b.id] = newTier(t, w, b, x)
		node, at := x.below[b.id].tree.Whole()
		if b.salts {
			node.Minions = nil // Salt's syndic does not report whom it has
		}
		if err := x.tree.Report(node, at); err != nil {
			t.Fatal(err)
		}
	}
	if x.salts {
		return x
	}
	x.configure(t)
	x.openKeys(t)
	x.open(t)
	return x
}

func (x *tier) configure(t testing.TB) {
	t.Helper()
	c := config.DefaultMaster()
	dir := t.TempDir()
	c.ID, c.User, c.OrderMasters = x.id, own, len(x.below) > 0
	c.SignPubMessages = false // nobody verifies them here
	c.PkiDir, c.Cachedir, c.SyndicDir = dir+"/pki", dir+"/cache", dir+"/syndics"
	if x.w.start {
		c.AclMatch = config.AclMatchStart
	}
	for id := range x.below {
		c.SyndicIds = append(c.SyndicIds, id)
	}
	section := map[string]any{}
	for _, u := range x.w.users {
		section[u.name] = u.salt()
	}
	if x.id == "top" { // a node has no users of its own: it is held to what comes from above
		c.ExternalAuth = map[string]any{eauth: section}
	}
	if x.w.banned != "" {
		c.PublisherAclBlacklist = map[string]any{"modules": []any{x.w.banned}}
	}
	c.Peer, c.PeerRun = map[string]any{}, map[string]any{}
	for _, u := range x.w.peers {
		c.Peer[u.name], c.PeerRun[u.name] = u.saltOf(minionRules), u.saltOf(runnerRules)
	}
	x.cfg = c
}

// peerKeys is one key pair for all masters and peers: making one takes long.
var peerKeys = sync.OnceValues(func() (*crypt.KeyPair, error) { return crypt.NewKeyPair(2048) })

// openKeys has the keys of all peers right below accepted.
func (x *tier) openKeys(t testing.TB) {
	t.Helper()
	pair, err := peerKeys()
	if err != nil {
		t.Fatal(err)
	}
	private, err := crypt.PrivatePEM(pair.Private, "")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		file := filepath.Join(x.cfg.PkiDir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	write("master.pem", string(private))
	write("master.pub", pair.PublicPEM)
	for id := range x.conns {
		write("minions/"+id, pair.PublicPEM)
	}
	if x.tok, err = crypt.X931Sign(pair.Private, []byte(keys.TokText)); err != nil {
		t.Fatal(err)
	}
	x.keys, err = keys.OpenRing(keys.RingOptions{Config: x.cfg, ID: x.id, Fire: func(string, *wire.Map) {}, Log: quiet, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.keys.Close() })
}

func (x *tier) open(t testing.TB) {
	t.Helper()
	var err error
	if x.control, err = access.Open(x.cfg, x.w.subject, quiet); err != nil {
		t.Fatal(err)
	}
	x.policy, err = ownership.Open(ownership.Options{
		PkiDir: x.cfg.PkiDir, SyndicDir: x.cfg.SyndicDir, Cachedir: x.cfg.Cachedir, SyndicIDs: x.cfg.SyndicIds, Prune: x.cfg.PublishPrune,
		Keys: x.keys, Presence: presence{x}, NodeConns: presence{x}.NodeConns, Running: func(string) bool { return false },
		Guest: func(string) error { return nil }, Absent: func(string) bool { return false }, Subject: x.w.subject,
		Barred: errBarred, Tree: x.tree, Fire: func(string, *wire.Map) {}, Refused: func() {},
		Failing: func(string, error, ...any) {}, Log: quiet, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range x.below {
		if err := x.policy.Join(id); err != nil {
			t.Fatal(err)
		}
	}
	x.jids = jid.NewGenerator(time.Now, 0)
	kept := store{memory.Open(time.Now)}
	t.Cleanup(func() { _ = kept.Close() })
	journal, err := retention.OpenJournal(retention.JournalOptions{Path: filepath.Join(x.cfg.Cachedir, "journal"), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = journal.Close() })
	x.publications, err = publications.Open(t.Context(), publications.Options{
		Config: x.cfg, Keys: x.keys, Key: x.keys.Shared.Current, Port: port{x}, Journal: journal, Store: kept, Jobs: keptJobs{}, Delivery: keptJobs{},
		Nodes: x.policy.Nodes, MayHaveNodes: x.policy.MayHaveNodes,
		Known: func() map[uint64]bool {
			return x.connections(func(id string) bool { return x.below[id] == nil || !x.below[id].salts })
		},
		NodeConns: func() map[uint64]bool {
			return x.connections(func(id string) bool { return x.below[id] != nil && !x.below[id].salts })
		},
		MinionConns: func(id string) []uint64 { return []uint64{x.conns[id]} },
		StockConns:  func() map[uint64]bool { return x.connections(x.stock) },
		OwnConns: func() map[uint64]bool {
			return x.connections(func(id string) bool { return !x.stock(id) && (x.below[id] == nil || !x.below[id].salts) })
		},
		Unheard: func(uint64, string, int64) bool { return false }, WasStock: func(string, int64) bool { return false }, Age: time.Now, Steady: func() bool { return true }, Given: new(atomic.Uint64), Log: quiet, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.publications.Close)
	x.service = publish.New(publish.Options{
		Ctx: t.Context(), Config: x.cfg, Access: x.control, Policy: policy{x.policy}, Peers: noPeers{}, Publications: x.publications,
		Jobs: fakeEngine{x}, Accounts: fakeEngine{x}, Store: kept, Files: noFiles{}, Tree: x.tree, Signatures: unsigned{}, Traces: noTraces{},
		Own: own, JID: x.jids.Next, Trespassed: x.policy.Trespassed, Refused: func(string, string, string) {}, Audit: func(access.Asked) {},
		Failing: func(_ string, err error, _ ...any) { x.fault = err }, Fire: func(string, wire.Raw) {}, Log: quiet, Now: time.Now,
	})
}

// connections are those of the peers right below that are meant.
func (x *tier) connections(meant func(id string) bool) map[uint64]bool {
	out := map[uint64]bool{}
	for id, c := range x.conns {
		if meant(id) {
			out[c] = true
		}
	}
	return out
}

// stock reports whether an id is one of the minions, half of all, that are known to be Salt's.
func (x *tier) stock(id string) bool { return x.below[id] == nil && x.conns[id]%2 == 0 }

// deliver hands a publication to the peers that are chosen.
func (x *tier) deliver(frame []byte, chosen func(conn uint64) bool) {
	for _, m := range x.minions {
		if chosen(x.conns[m.id]) {
			x.w.execute(m, frame)
		}
	}
	for id, b := range x.below {
		if !chosen(x.conns[id]) {
			continue
		}
		if b.salts { // Salt's syndic publishes what it hears, and judges nothing
			b.deliver(frame, func(uint64) bool { return true })
			continue
		}
		b.republish(frame)
	}
}

// republish starts a job of the master above, as the forwarder of a node and its master do.
func (x *tier) republish(frame []byte) {
	pub, err := wire.ParsePublication(frame)
	if err != nil {
		x.fault = fmt.Errorf("node %s: %w", x.id, err)
		return
	}
	load, err := forwarding.Republish(pub)
	if err != nil {
		return
	}
	load.User = own
	raw, err := load.Encode()
	if err != nil {
		x.fault = fmt.Errorf("node %s: %w", x.id, err)
		return
	}
	_, _ = x.service.PublishLoad(x.w.ctx, raw, access.By{Owner: own}) // what the node refuses does not run
}
