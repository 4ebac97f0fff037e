package master

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// siblingNodes are two nodes below one master. They have separate keys and know each other as siblings.
type siblingNodes struct {
	t      *testing.T
	at     *clock
	na, nb *rig
	list   sibling.Signed // of both
}

func newSiblings(t *testing.T) *siblingNodes {
	t.Helper()
	k := &siblingNodes{t: t, at: &clock{at: time.Now()}}
	node := func(id, key string) *rig {
		r := newRig(t, func(c *config.Master) { c.ID = id })
		r.opts.Now = k.at.now
		private, public := goldenPair(t, key)
		r.file("pki2/master.pem", private, 0o400)
		r.file("pki2/master.pub", public, 0o644)
		r.cfg.PkiDir = filepath.Join(r.dir, "pki2")
		return r.start()
	}
	k.na, k.nb = node("na", "master"), node("nb", "lower_master")
	k.introduce()
	return k
}

func (k *siblingNodes) introduce() {
	k.t.Helper()
	top := newTestKey(k.t)
	list, err := sibling.List{Parent: "top", At: k.at.now(), Nodes: []sibling.Node{
		{ID: "na", Host: "h", Port: 1, Pub: k.na.keys.Identity.Pair.PublicPEM}, {ID: "nb", Host: "h", Port: 2, Pub: k.nb.keys.Identity.Pair.PublicPEM},
	}}.Sign(top.Private, top.PublicPEM)
	if err != nil {
		k.t.Fatal(err)
	}
	k.list = list
	for _, r := range []*rig{k.na, k.nb} {
		if err := r.failover.SetSiblings(list); err != nil {
			k.t.Fatal(err)
		}
	}
}

// lay accepts a golden key at a node whose key directory is pki2.
func lay(r *rig, id, key string) {
	r.t.Helper()
	_, public := goldenPair(r.t, key)
	r.file("pki2/minions/"+id, public, 0o644)
	eventually(r.t, id+" accepted", func() bool { return r.keys.Accepted(id) })
}

// askSiblings sends a minion's sibling request with the turn it receives.
func askSiblings(m *minion, more ...any) (*wire.Map, bool) {
	m.t.Helper()
	before, _ := m.must(wire.NewMap("cmd", sibling.Command, "id", m.id, "role", "minion")).(*wire.Map)
	if before == nil {
		m.t.Fatal("no answer about siblings")
	}
	load := wire.NewMap(append([]any{"cmd", sibling.Command, "id", m.id, "role", "minion", "turn", before.String("turn")}, more...)...)
	v, err := m.send(load)
	reply, ok := v.(*wire.Map)
	return reply, err == nil && ok
}

// leave sends a peer's message that it moves to another node, as its new home forever or for a
// while.
func (m *minion) leave(role, home string, forever bool) {
	m.t.Helper()
	load := func(more ...any) *wire.Map {
		return wire.NewMap(append([]any{"cmd", sibling.Command, "id", m.id, "role", role, "host", "h", "port", 1, "pub", "k"}, more...)...)
	}
	turn := m.must(load()).(*wire.Map).String("turn")
	m.must(load("turn", turn, "leaves", home, "forever", forever))
}

// guest returns a minion whose home is another node.
func (r *rig) guest(key string) *minion {
	r.t.Helper()
	m := r.minion("guest", "minion", key)
	m.leave("minion", "elsewhere", true)
	return m
}

// come signs a peer in with a voucher.
func come(r *rig, id, key string, voucher []byte) (*minion, error) {
	r.t.Helper()
	g := r.stranger(id, "minion", key, func(c *channel.Config) { c.Voucher = voucher })
	_, err := g.Attempt(context.Background())
	return g, err
}

// copyRevoked copies the deleted keys of one node to its sibling, as the master above does.
func copyRevoked(from, to *rig) {
	to.t.Helper()
	if err := to.failover.AddRevoked(from.failover.RevokedKeys()); err != nil {
		to.t.Fatal(err)
	}
}

func removeKey(r *rig, id string) {
	r.t.Helper()
	r.say(wire.NewMap("cmd", "wheel", "fun", "key.delete", "match", id, "key", rootKey))
	eventually(r.t, id+" deleted", func() bool { return !r.keys.Accepted(id) })
}

// A key deleted at its home is deleted everywhere: the sibling whose guest holds it removes it and
// accepts no earlier voucher for it, and the home believes nobody else about it. The guest cannot
// obtain permission to stay, or a voucher, from its host. Two nodes, and one hostile minion that
// keeps every voucher it ever received.
func TestGone_ADeletedKeyIsGoneEverywhere(t *testing.T) {
	k := newSiblings(t)
	lay(k.na, "m1", "minion")
	m := k.na.stranger("m1", "minion", "minion")
	if _, err := m.Attempt(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, _ := askSiblings(m, "voucher", true)
	va := reply.Bytes("voucher")
	g, err := come(k.nb, "m1", "minion", va)
	if err != nil {
		t.Fatalf("a true voucher is not believed: %v", err)
	}
	// It cannot obtain one by asking.
	if reply, ok := askSiblings(g, "stay", true, "voucher", true); ok {
		t.Errorf("it stays without permission: %v", plain(t, reply))
	}
	if reply, ok := askSiblings(g, "voucher", true); !ok || reply.Has("voucher") {
		t.Error("its host vouches for a guest")
	}
	if guests := k.nb.failover.Status().Map("guests"); !guests.Has("m1") {
		t.Error("its guest mark is gone")
	}
	if _, err := g.send(syndicReturn("m1", someJob, "other")); err == nil && len(stored(t, k.nb, someJob)) != 0 {
		t.Error("a guest, a minion at home, speaks as a node")
	}
	was := k.nb.keys.Shared.Text()
	k.at.forward(time.Second)
	removeKey(k.na, "m1")
	copyRevoked(k.na, k.nb)
	if k.nb.keys.Accepted("m1") {
		t.Error("the sibling still has its key")
	}
	eventually(t, "a new shared key", func() bool { return k.nb.keys.Shared.Text() != was })
	for _, when := range []string{"at once", "after a restart", "an hour later"} {
		switch when {
		case "after a restart":
			k.nb.restart()
		case "an hour later":
			k.at.forward(time.Hour)
		}
		if _, err := come(k.nb, "m1", "minion", va); err == nil || k.nb.keys.Accepted("m1") {
			t.Errorf("%s: its old voucher counts", when)
		}
	}
	// Nor does its former home believe its sibling about it.
	forged, err := sibling.Voucher{ID: "m1", Issuer: "nb", Finger: fingerOf(t, "minion"), Made: k.at.now(), Until: k.at.now().Add(time.Hour)}.Sign(k.nb.keys.Identity.Pair.Private)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := come(k.na, "m1", "minion", forged); err == nil || k.na.keys.Accepted("m1") {
		t.Error("its former home accepts it by the voucher of a sibling")
	}
	// A sibling that never hears of the deletion accepts the voucher for some hours only.
	k.at.forward(sibling.VoucherLife)
	_, public := goldenPair(t, "minion")
	if list, err := k.list.Open(); err != nil {
		t.Fatal(err)
	} else if _, err := sibling.Check(va, "m1", public, "nb", []sibling.List{list}, k.at.now()); err == nil {
		t.Error("a voucher never expires")
	}
}

func fingerOf(t *testing.T, key string) string {
	t.Helper()
	_, public := goldenPair(t, key)
	return sibling.Finger(public)
}

// A guest vouched for by its home stays until that home deletes its key. If the key is deleted
// where it is a guest, it is rejected at its home too. A key that is accepted again gets valid
// vouchers.
func TestGone_RevokedVoucher(t *testing.T) {
	k := newSiblings(t)
	lay(k.na, "m1", "minion")
	m := k.na.stranger("m1", "minion", "minion")
	if _, err := m.Attempt(t.Context()); err != nil {
		t.Fatal(err)
	}
	voucher := func() []byte {
		reply, _ := askSiblings(m, "voucher", true)
		return reply.Bytes("voucher")
	}
	g, err := come(k.nb, "m1", "minion", voucher())
	if err != nil {
		t.Fatal(err)
	}
	reply, _ := askSiblings(m, "transfer", "nb")
	if _, ok := askSiblings(g, "stay", true, "word", reply.Bytes("transfer")); !ok {
		t.Fatal("it may not stay although its home permits it")
	}
	if guests := k.nb.failover.Status().Map("guests"); guests.Has("m1") {
		t.Error("it is still a guest")
	}
	k.nb.restart() // its state is on disk
	k.introduce()
	k.at.forward(time.Second)
	removeKey(k.na, "m1")
	copyRevoked(k.na, k.nb)
	if k.nb.keys.Accepted("m1") {
		t.Error("it was accepted by the voucher of a node that has deleted it")
	}

	// Accepted again, a moment later.
	k.at.forward(time.Second)
	lay(k.na, "m1", "minion")
	m = k.na.stranger("m1", "minion", "minion")
	if _, err := m.Attempt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := come(k.nb, "m1", "minion", voucher()); err != nil {
		t.Errorf("accepted again, and its voucher is rejected: %v", err)
	}
	// Deleted where it is a guest.
	k.at.forward(time.Second)
	removeKey(k.nb, "m1")
	copyRevoked(k.nb, k.na)
	if k.na.keys.Accepted("m1") || !k.na.keys.Has(keys.Rejected, "m1") {
		t.Error("its home still accepts it")
	}
}

// A sibling cannot delete a key of this node's own minion: a minion of two masters.
func TestGone_SiblingsCannotDeleteOwnKeys(t *testing.T) {
	k := newSiblings(t)
	lay(k.na, "m1", "minion")
	lay(k.nb, "m1", "minion")
	removeKey(k.nb, "m1")
	copyRevoked(k.nb, k.na)
	if !k.na.keys.Accepted("m1") {
		t.Error("a sibling has deleted a key of this node")
	}
	// Nor by claiming that it was a guest, without naming the key.
	for _, finger := range []string{"", fingerOf(t, "minion2")} {
		if err := k.na.failover.AddRevoked([]sibling.Gone{{ID: "m1", Finger: finger, By: "nb", Home: "na", At: k.at.now()}}); err != nil {
			t.Fatal(err)
		}
	}
	if !k.na.keys.Accepted("m1") || k.na.keys.Has(keys.Rejected, "m1") {
		t.Error("it was rejected without its key being named")
	}
}

// Deletions at one node reach its sibling through the master above, by the regular queries of both.
// A node can only report in its own name. Deletions reported by a node that loses its admission or
// its key lose their effect. One top, two nodes.
func TestGone_TravelsUpAndDown(t *testing.T) {
	top := newRig(t, ordersMasters)
	top.start()
	for _, id := range []string{"n1", "n2"} {
		top.minion(id, "syndic", "syndic").listen().announce()
		top.admit(id)
	}
	ask := func(id string, more ...any) *wire.Map {
		n := top.stranger(id, "syndic", "syndic")
		if _, err := n.SignIn(t.Context()); err != nil {
			t.Fatal(err)
		}
		load := claims(id, "h", 4506, "k")
		for i := 0; i < len(more); i += 2 {
			load.Set(more[i], more[i+1])
		}
		d, _ := n.must(load).(*wire.Map)
		if d == nil {
			t.Fatalf("%s gets no answer", id)
		}
		return d
	}
	goneIn := func(d *wire.Map) []sibling.Gone {
		gone, err := sibling.ReadGone(d.List("gone"))
		if err != nil {
			t.Fatal(err)
		}
		return gone
	}
	mine := []sibling.Gone{{ID: "m1", Finger: fingerOf(t, "minion"), By: "n2", At: time.Now()}} // reported in another node's name
	d := ask("n1", "gone", sibling.GoneMaps(mine))
	mine[0].By = "n1"
	if d.String("gone_have") != sibling.SumGone(mine) || len(goneIn(d)) != 0 {
		t.Errorf("n1 receives %v", plain(t, d))
	}
	top.restart()
	d = ask("n2", "have_gone", "")
	if got := goneIn(d); len(got) != 1 || got[0] != mine[0] && !got[0].At.Equal(mine[0].At) || got[0].By != "n1" {
		t.Errorf("n2 receives %+v", got)
	}
	if d := ask("n2", "have_gone", sibling.SumGone(goneIn(d))); d.Has("gone") {
		t.Error("it receives what it has")
	}
	removeKey(top, "n1")
	got := goneIn(ask("n2", "have_gone", ""))
	all := false
	for _, g := range got {
		all = all || g.By == "n1" && g.ID == ""
	}
	if !all {
		t.Errorf("n1's key is deleted, and n2 receives %+v", got)
	}
}

// A key deleted while its node was down is deleted everywhere too.
func TestGone_WhileTheNodeWasDown(t *testing.T) {
	k := newSiblings(t)
	lay(k.na, "m1", "minion")
	m := k.na.stranger("m1", "minion", "minion")
	if _, err := m.Attempt(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, _ := askSiblings(m, "voucher", true)
	if _, err := come(k.nb, "m1", "minion", reply.Bytes("voucher")); err != nil {
		t.Fatal(err)
	}
	k.at.forward(time.Second)
	k.na.cfg.PublishPort, k.na.cfg.RetPort = k.na.pub, k.na.ret
	k.na.stop()
	if err := os.Remove(filepath.Join(k.na.cfg.PkiDir, "minions", "m1")); err != nil {
		t.Fatal(err)
	}
	k.na.start()
	copyRevoked(k.na, k.nb)
	if k.nb.keys.Accepted("m1") {
		t.Error("its sibling still has it")
	}
}

// A removed minion cannot read the next job, whether removed with salt-key or by deleting or
// replacing its key file. The next publication uses a new shared key, however soon it comes. One
// master, two minions, one of which keeps listening without a key.
func TestRemovedMinionReadsNoFurtherJob(t *testing.T) {
	for what, remove := range map[string]func(r *rig){
		"by salt-key": func(r *rig) { removeKey(r, "m1") },
		"by hand": func(r *rig) {
			if err := os.Remove(filepath.Join(r.cfg.PkiDir, "minions/m1")); err != nil {
				r.t.Fatal(err)
			}
		},
		"by another key": func(r *rig) { r.accept("m1", "syndic") },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, ordersMasters)
			r.start()
			m := r.minion("m1", "minion", "minion")
			if !r.keys.Accepted("m1") {
				t.Fatal("not accepted")
			}
			other := r.minion("m2", "minion", "minion2").listen().announce()
			spy := r.keys.Shared.Current() // the shared key it has
			m.listen()                     // a bare subscription
			remove(r)
			eventually(t, "the master's notice", func() bool { key, err := r.keys.Sum("m1"); return err != nil || key.String() != fingerOf(t, "minion") })
			eventually(t, "that it is to be renewed", func() bool { return r.keys.Shared.Current() != spy || renewalWanted(r) })
			r.say(testJob("m2", "glob", "arg", []any{"for m2 alone"}))
			p := other.hear()
			if r.keys.Shared.Current() == spy {
				t.Errorf("job %s went out under the key that the removed minion knows", p.JID)
			}
			select {
			case q := <-m.heard:
				t.Errorf("the removed minion reads %s", q.JID)
			default:
			}
		})
	}
}

// A guest that has left can read publications for at most a minute.
func TestSweptGuestsReadNoFurther(t *testing.T) {
	k := newSiblings(t)
	lay(k.na, "m1", "minion")
	m := k.na.stranger("m1", "minion", "minion")
	if _, err := m.Attempt(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, _ := askSiblings(m, "voucher", true)
	if _, err := come(k.nb, "m1", "minion", reply.Bytes("voucher")); err != nil {
		t.Fatal(err)
	}
	was := k.nb.keys.Shared.Text()
	k.at.forward(2 * time.Minute) // away
	eventually(t, "the guest swept", func() bool { return !k.nb.keys.Accepted("m1") })
	eventually(t, "the wish for a new key", func() bool { return renewalWanted(k.nb) })
	k.at.forward(time.Minute + time.Second)
	eventually(t, "a new shared key", func() bool { return k.nb.keys.Shared.Text() != was })
	if len(k.nb.failover.RevokedKeys()) != 0 {
		t.Errorf("a guest that has left is reported as removed: %v", k.nb.failover.RevokedKeys())
	}
}

// renewalWanted reports whether a master will create a new shared key.
func renewalWanted(r *rig) bool {
	_, wanted := r.keys.Shared.RenewAt()
	return wanted
}
