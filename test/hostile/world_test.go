package hostile

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// quiet is where the product logs to.
var quiet = slog.New(slog.DiscardHandler)

// minion is one of the tree. It runs what reaches it twice: as ours and as Salt's.
type minion struct {
	id             string
	grains, pillar *wire.Map
	// known is whether its master knows grains and pillar.
	known bool
}

// ID implements [target.Subject], as do the others: what the minion knows of itself.
func (m *minion) ID() string  { return m.id }
func (m *minion) Grains() any { return m.grains }
func (m *minion) Pillar() any { return m.pillar }

// newMinion makes a minion with grains that are nested, as real ones are.
func newMinion(id, role, os string, n int64, known bool) *minion {
	address := "10.0.0." + string(rune('0'+n))
	return &minion{
		id: id, known: known,
		grains: wire.NewMap("id", id, "os", os, "role", role, "num_cpus", n, "ipv4", []any{"127.0.0.1", address},
			"ip4_interfaces", wire.NewMap("lo", []any{"127.0.0.1"}, "eth0", []any{address}),
			"systemd", wire.NewMap("version", "252", "features", "+PAM +AUDIT")),
		pillar: wire.NewMap("team", role, "keys", wire.NewMap("deploy", "k"+id)),
	}
}

// place is a master of the tree as it is planted.
type place struct {
	id      string
	minions []*minion
	below   []*place
	// salts marks a syndic of Salt's with its master: nobody judges there.
	salts bool
}

// plant describes the three tiers. Each has minions that a rule for web servers means and
// others that it does not. A syndic of Salt's is not in all trees: its minions are reached only
// by targets that are within a rule by their form.
func plant(salts bool) *place {
	top := &place{
		id: "top", minions: []*minion{
			newMinion("web1", "web", "Debian", 1, true), newMinion("db1", "db", "RedHat", 2, true), newMinion("app1", "app", "Debian", 3, false),
		},
		below: []*place{{
			id: "node1", minions: []*minion{newMinion("web2", "web", "Debian", 4, true), newMinion("db2", "db", "Debian", 5, true)},
			below: []*place{{id: "node2", minions: []*minion{newMinion("web3", "web", "RedHat", 6, true), newMinion("db3", "db", "Debian", 7, true)}}},
		}},
	}
	if salts {
		top.below = append(top.below, &place{
			id: "pysyndic", salts: true, minions: []*minion{newMinion("web4", "web", "Debian", 8, false), newMinion("db4", "db", "RedHat", 9, false)},
		})
	}
	return top
}

// walk visits the minions of a place and of all below it.
func (p *place) walk(visit func(*minion)) {
	for _, m := range p.minions {
		visit(m)
	}
	for _, b := range p.below {
		b.walk(visit)
	}
}

// world is a tree with its users.
type world struct {
	rng     *rand.Rand
	place   *place
	minions map[string]*minion
	ids     []string
	users   []*user
	peers   []*user // minions that the options peer and peer_run mean
	start   bool    // acl_match: start
	banned  string  // what publisher_acl_blacklist forbids everybody

	ctx    context.Context //nolint:containedctx // of the test
	top    *tier
	tierOf map[string]*tier // by minion
	doors  *entrances
	now    *act       // what is being done
	mu     sync.Mutex // held by those who write to it: masters answer on threads of their own
}

// act is one call and what came of it.
type act struct {
	call   call
	judged map[string][]string // by tier: the minions that its master found
	ran    []execution         // by minions
	master []execution         // by the master: runners and wheel functions
	answer string
}

// newWorld plants a tree. The same number gives the same world.
func newWorld(t testing.TB, number uint64) *world {
	t.Helper()
	rng := rand.New(rand.NewPCG(number, 0x6d6f6d))
	w := &world{rng: rng, place: plant(chance(rng, 30)), minions: map[string]*minion{}, tierOf: map[string]*tier{}, ctx: t.Context()}
	w.place.walk(func(m *minion) {
		w.minions[m.id] = m
		w.ids = append(w.ids, m.id)
	})
	w.start = w.rng.IntN(4) == 0
	w.banned = pick(w.rng, "", "grains.setval", `file\.remove`)
	for i := range usersPerWorld {
		w.users = append(w.users, newUser(w.rng, userName(i)))
	}
	for _, id := range []string{"web1", "web2", "web3"} {
		w.peers = append(w.peers, newUser(w.rng, id))
	}
	w.top = newTier(t, w, w.place, nil)
	w.openEntrances(t)
	return w
}

// subject is what a master knows of a minion.
func (w *world) subject(id string) target.Subject {
	if m := w.minions[id]; m != nil && m.known {
		return m
	}
	return target.ID(id)
}

// pick gives one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// chance is true n times of a hundred.
func chance(r *rand.Rand, n int) bool { return r.IntN(100) < n }
