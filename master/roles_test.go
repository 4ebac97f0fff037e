package master

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/roles"
)

func newTestKey(t *testing.T) *crypt.KeyPair {
	t.Helper()
	k, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// claims is a peer's request to be a home for others.
func claims(id, host string, port int, pub string) *wire.Map {
	return wire.NewMap("cmd", sibling.Command, "id", id, "role", "syndic", "host", host, "port", port, "pub", pub)
}

// siblingsOf returns the list of siblings that a node received.
func siblingsOf(t *testing.T, reply any) sibling.List {
	t.Helper()
	m, _ := reply.(*wire.Map)
	if m == nil || m.Map("below") == nil {
		t.Fatalf("no list in %v", reply)
	}
	b := m.Map("below")
	l, err := sibling.Signed{Body: b.Bytes("body"), Sig: b.Bytes("sig"), Pub: b.String("pub")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The whole attack: an accepted minion waits until its lease has passed and makes the master forget
// its announcement with a sign-in, which only needs its public key. It returns as a node with an
// address for others' minions, returns for an absent minion, and vouches for an unknown id. Each
// step fails, before and after a restart of the master. One hostile mom minion, one honest node,
// default options.
func TestRoles_AMinionDoesNotBecomeAHome(t *testing.T) {
	at := &clock{at: time.Now()}
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.opts.Now = at.now
	r.start()
	attacker := newTestKey(t)
	evil := r.minion("evil", "minion", "minion").listen().announce()
	n1 := r.minion("n1", "syndic", "syndic").listen().announce()
	r.admit("n1")
	victim := r.minion("m7", "minion", "minion2").listen().announce()
	victim.mute()
	evil.mute()
	eventually(t, "both away", func() bool { return r.live("evil") != engine.Up && r.live("m7") != engine.Up })
	at.forward(10 * time.Second) // past its lease
	attack := func(when string) {
		t.Helper()
		r.ask(signInBody(t, "evil", "minion")) // created with the public key alone
		if r.live("evil") == engine.Untracked {
			t.Errorf("%s: who holds the public key alone had it forgotten", when)
		}
		e := r.stranger("evil", "syndic", "minion")
		if _, err := e.SignIn(context.Background()); err != nil {
			t.Fatal(err)
		}
		refused := r.Stats().Trespasses[ownership.OfNode]
		for what, load := range map[string]*wire.Map{
			"home":     claims("evil", "6.6.6.6", 4506, attacker.PublicPEM),
			"presence": wire.NewMap("cmd", "_presence", "session", e.Session(), "role", "syndic", "version", "x"),
			"tree":     wire.NewMap("cmd", "_presence", "session", e.Session(), "role", "syndic", "version", "x", "life", "l", "piece", wire.NewMap("n", 0)),
			"return":   syndicReturn("evil", someJob, "m7"),
			"start":    wire.NewMap("cmd", "_minion_event", "tag", "salt/syndic/evil/start", "data", "x"),
			"legacy":   wire.NewMap("cmd", "_minion_event", "tag", "syndic_start", "data", "x"),
			"events":   bulk("syndic/evil", event("salt/minion/m7/start", wire.NewMap())),
		} {
			if v, err := e.send(load); err != nil || v != "" {
				t.Errorf("%s, %s: answered by %v, %v", when, what, v, err)
			}
		}
		if n := r.Stats().Trespasses[ownership.OfNode] - refused; n != 7 {
			t.Errorf("%s: %d counted, want 7", when, n)
		}
		if r.policy.IsNode("evil") || len(stored(t, r, someJob)) != 0 {
			t.Errorf("%s: it is a node %v, and returned %v", when, r.policy.IsNode("evil"), stored(t, r, someJob))
		}
		l := siblingsOf(t, n1.must(claims("n1", "10.0.0.2", 4506, attacker.PublicPEM)))
		if len(l.Nodes) != 1 || l.Nodes[0].ID != "n1" {
			t.Errorf("%s: siblings are %+v", when, l.Nodes)
		}
		_ = e.Close()
	}
	attack("in the first life")
	r.restart()
	n1 = r.minion("n1", "syndic", "syndic")
	attack("after a restart")

	// Nor does the sibling believe its vouchers: its list does not contain the minion.
	list := n1.must(claims("n1", "10.0.0.2", 4506, r.keys.Identity.Pair.PublicPEM)).(*wire.Map).Map("below")
	s := newRig(t, func(c *config.Master) { c.ID = "n1" })
	s.opts.Now = at.now
	s.start()
	if err := s.failover.SetSiblings(sibling.Signed{Body: list.Bytes("body"), Sig: list.Bytes("sig"), Pub: list.String("pub")}); err != nil {
		t.Fatal(err)
	}
	_, thief := goldenPair(t, "minion2")
	voucher, err := sibling.Voucher{ID: "payroll-db", Issuer: "evil", Finger: sibling.Finger(thief), Until: at.now().Add(time.Hour)}.Sign(attacker.Private)
	if err != nil {
		t.Fatal(err)
	}
	g := s.stranger("payroll-db", "minion", "minion2", func(c *channel.Config) { c.Voucher = voucher })
	if _, err := g.Attempt(context.Background()); err == nil || s.keys.Accepted("payroll-db") {
		t.Error("an invented id is accepted by the voucher of a minion")
	}
}

// Anything that only a minion does fixes the role of its key as minion. That includes stock
// minions, which announce nothing. Each act is tried with a separate key.
func TestRoles_FirstActOfAMinion(t *testing.T) {
	for what, load := range map[string]*wire.Map{
		"return":   returnOf("m", someJob, true),
		"start":    wire.NewMap("cmd", "_minion_event", "tag", "salt/minion/m/start", "data", "x"),
		"events":   bulk(nil, event("salt/beacon/m/load/", wire.NewMap())),
		"presence": wire.NewMap("cmd", "_presence", "session", "s", "role", "minion", "version", "x"),
		"siblings": wire.NewMap("cmd", sibling.Command, "id", "m", "role", "minion"),
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, ordersMasters)
			r.start()
			m := r.minion("m", "minion", "minion")
			if got := r.policy.Roles().Of("m"); got != roles.None {
				t.Fatalf("it is a %q before it has done anything", got)
			}
			m.must(load)
			if got := r.policy.Roles().Of("m"); got != roles.Minion {
				t.Errorf("then it is a %q", got)
			}
			if v, err := m.send(syndicReturn("m", someJob, "other")); err != nil || v != "" || r.policy.IsNode("m") {
				t.Errorf("it speaks as a node: %v, %v", v, err)
			}
		})
	}
}

// Acts of both roles fix nothing: a stock syndic signs in and requests its pillar like a minion,
// then fires its start event, then forwards. It stays a node whatever it sends in its own name, and
// is not a home for others until an operator admits it. One master, one syndic.
func TestRoles_APythonSyndicWorks(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	py := r.minion("py", "syndic", "syndic")
	if _, err := py.Pillar(t.Context(), channel.PillarRequest{Grains: wire.NewMap(), Saltenv: "base"}); err != nil {
		t.Fatal(err)
	}
	if got := r.policy.Roles().Of("py"); got != roles.None {
		t.Fatalf("after its pillar it is a %q", got)
	}
	py.must(wire.NewMap("cmd", "_minion_event", "pretag", nil, "tag", "salt/syndic/py/start", "data", "x"))
	py.must(syndicReturn("py", someJob, "m"))
	py.must(bulk("syndic/py", event("salt/minion/m/start", wire.NewMap())))
	py.must(returnOf("py", otherJob, true)) // salt-call on that machine
	if got := r.policy.Roles().Of("py"); got != roles.Syndic || !r.policy.IsNode("py") || len(stored(t, r, someJob)) != 1 || len(stored(t, r, otherJob)) != 1 {
		t.Errorf("it is a %q, node %v", got, r.policy.IsNode("py"))
	}
	if m, _ := py.must(claims("py", "h", 1, "k")).(*wire.Map); m == nil || m.Has("below") || m.Bool("admitted") {
		t.Errorf("it receives siblings: %v", m)
	}
}

// An accepted key that no operator has named is not a node, whatever it does first: reports for
// others and forwarded messages are refused everywhere. Admission, syndic_ids and order_masters
// each make it a node.
func TestRoles_NoNodeWithoutAnOperator(t *testing.T) {
	acts := map[string]func() *wire.Map{
		"start event": func() *wire.Map {
			return wire.NewMap("cmd", "_minion_event", "tag", "syndic_start", "data", wire.NewMap("id", "n"))
		},
		"named start": func() *wire.Map {
			return wire.NewMap("cmd", "_minion_event", "tag", "salt/syndic/n/start", "data", "x")
		},
		"greeting": func() *wire.Map {
			return wire.NewMap("cmd", "_presence", "session", "s", "role", "syndic", "version", "x")
		},
		"siblings": func() *wire.Map { return claims("n", "h", 4506, "k") },
		"events": func() *wire.Map {
			return bulk("syndic/n", event("salt/auth", wire.NewMap("id", "x")), event("salt/netapi/hook/deploy", wire.NewMap()))
		},
		"returns": func() *wire.Map { return syndicReturn("n", someJob, "invented9") },
	}
	for name, act := range acts {
		for _, by := range []string{"nobody", "order_masters", "syndic_ids", "admission"} {
			t.Run(name+", "+by, func(t *testing.T) {
				r := newRig(t, func(c *config.Master) {
					c.OrderMasters = by == "order_masters"
					if by == "syndic_ids" {
						c.SyndicIds = []string{"n*"}
					}
				})
				r.start()
				n := r.minion("n", "syndic", "syndic")
				if by == "admission" {
					r.admit("n")
				}
				_, _ = n.send(act())
				if got, want := r.policy.IsNode("n"), by != "nobody"; got != want {
					t.Errorf("it is a node: %v", got)
				}
				if by != "nobody" {
					return
				}
				_, _ = n.send(acts["events"]())
				_, _ = n.send(acts["returns"]())
				if r.policy.IsNode("n") || len(stored(t, r, someJob)) != 0 {
					t.Errorf("it speaks for others: %v", stored(t, r, someJob))
				}
			})
		}
	}
}

// One machine and one key for a minion and a syndic: an operator declares it both.
func TestRoles_AdmittedBesideBeingAMinion(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m := r.minion("both", "minion", "minion").listen().announce()
	if v, _ := m.send(syndicReturn("both", someJob, "a")); v != "" {
		t.Fatalf("answered %v", v)
	}
	r.admit("both")
	m.must(syndicReturn("both", someJob, "a"))
	m.must(returnOf("both", otherJob, true))
	if len(stored(t, r, someJob)) != 1 || len(stored(t, r, otherJob)) != 1 {
		t.Error("not both are stored")
	}
	if _, err := admitted.Withdraw(r.cfg.PkiDir, "both"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a minion again", func() bool { return !r.policy.Roles().Admitted("both") && !r.policy.IsNode("both") })
	if v, _ := m.send(syndicReturn("both", someJob, "b")); v != "" || len(stored(t, r, someJob)) != 1 {
		t.Errorf("withdrawn, and answered %v", v)
	}
}

// An admission belongs to a key: another key under the same id has none, and neither has the id
// after its key was deleted. The same holds for the role.
func TestRoles_GoWithTheKey(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n := r.minion("n1", "syndic", "syndic")
	r.admit("n1")
	n.must(claims("n1", "h", 4506, "k"))
	r.minion("m1", "minion", "minion").must(returnOf("m1", someJob, true))
	r.say(wire.NewMap("cmd", "wheel", "fun", "key.delete", "match", "*", "key", rootKey))
	eventually(t, "both gone", func() bool { return !r.keys.Accepted("n1") && !r.keys.Accepted("m1") && !r.policy.IsNode("n1") })
	r.accept("n1", "minion2")
	r.accept("m1", "minion")
	eventually(t, "both accepted anew", func() bool { return r.keys.Accepted("n1") && r.keys.Accepted("m1") })
	if r.policy.Roles().Admitted("n1") || r.policy.Roles().Of("n1") != roles.None || r.policy.Roles().Of("m1") != roles.None {
		t.Errorf("n1 admitted %v, a %q; m1 a %q", r.policy.Roles().Admitted("n1"), r.policy.Roles().Of("n1"), r.policy.Roles().Of("m1"))
	}
	if got, err := admitted.List(r.cfg.PkiDir); err != nil || len(got) != 0 {
		t.Errorf("admissions left: %v, %v", got, err)
	}
	if below := r.failover.Status().List("nodes"); len(below) != 0 {
		t.Errorf("below are %v", below)
	}
}

// An upgrade: the known roles of minions and nodes stay, and marks of others are removed.
func TestRoles_Inherited(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.file("cache/syndics/old", "", 0o600)
	r.file("cache/syndics/gone", "", 0o600)
	r.accept("old", "syndic")
	b, err := wire.EncodeBus([]any{[]any{"m1", "minion", "1"}, []any{"old", "syndic", "1"}, []any{"gone", "minion", "1"}})
	if err != nil {
		t.Fatal(err)
	}
	r.file("cache/presence.p", string(b), 0o600)
	r.accept("m1", "minion")
	r.start()
	if r.policy.Roles().Of("m1") != roles.Minion || r.policy.Roles().Of("old") != roles.Syndic || !r.policy.IsNode("old") || r.policy.IsNode("gone") {
		t.Errorf("m1 a %q, old a %q, marks %v", r.policy.Roles().Of("m1"), r.policy.Roles().Of("old"), r.policy.Nodes())
	}
	if r.policy.Roles().Admitted("old") {
		t.Error("an upgrade admits no node")
	}
}

// An invalid entry does not affect others: an event names the node that reports it, and the rest of
// the list is valid. One node of three reports port 70000.
func TestSiblings_ABadEntryCostsNoOther(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	for _, id := range []string{"n1", "n2", "bad"} {
		r.minion(id, "syndic", "syndic").listen().announce()
		r.admit(id)
	}
	ask := func(id, host string, port int) any {
		n := r.stranger(id, "syndic", "syndic")
		if _, err := n.SignIn(t.Context()); err != nil {
			t.Fatal(err)
		}
		return n.must(claims(id, host, port, "k"))
	}
	ask("n1", "10.0.0.1", 4506)
	for _, c := range []struct {
		host string
		port int
	}{{"h", 70000}, {"h", 0}, {"h\nx", 1}, {"../h", 1}, {strings.Repeat("h", 5000), 1}} {
		ask("bad", c.host, c.port)
		l := siblingsOf(t, ask("n2", "10.0.0.2", 4506))
		if len(l.Nodes) != 2 || len(l.Left) != 0 {
			t.Errorf("%.20q:%d: siblings are %+v", c.host, c.port, l)
		}
	}
	if n := r.Stats().Trespasses[ownership.OfHome]; n != 5 {
		t.Errorf("%d counted, want 5", n)
	}
}

// An unreadable record of roles prevents the start: no minion may become a node because a file is
// damaged.
func TestRoles_UnreadableIsNoStart(t *testing.T) {
	r := newRig(t)
	r.file("pki/roles/x", "", 0o600) // a directory in its place
	if m, err := New(r.opts); err == nil || !strings.Contains(err.Error(), "roles") {
		t.Errorf("started: %v", err)
		_ = m.Close()
	}
	_ = os.RemoveAll(r.dir)
}
