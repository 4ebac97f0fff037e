package failover

import (
	"context"
	"crypto/rsa"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/topology"
)

func newPair(t *testing.T) *crypt.KeyPair {
	t.Helper()
	k, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// accepted are keys by id.
type accepted map[string]*rsa.PublicKey

// world is the master around a service: it holds keys, and records what it is told.
type world struct {
	keys   accepted
	down   map[string]bool // who is not connected
	owed   int64
	lost   []string // whom jobs wait for no more
	shown  map[string]bool
	fired  []string
	asked  int // publications
	fresh  int // shared keys
	taken  []string
	orphan map[string]crypt.FingerSum
}

func (w *world) PublicKey(id string) (*rsa.PublicKey, error) {
	if k := w.keys[id]; k != nil {
		return k, nil
	}
	return nil, errors.New("no accepted key")
}

func (w *world) Sum(id string) (crypt.FingerSum, error) {
	_, err := w.PublicKey(id)
	return crypt.FingerSum{}, err
}
func (w *world) Accepted(id string) bool    { return w.keys[id] != nil }
func (w *world) List(keys.State) []string   { return slices.Sorted(maps.Keys(w.keys)) }
func (w *world) Of(string) roles.Role       { return roles.Minion }
func (w *world) Admitted(id string) bool    { return id != "minion" }
func (w *world) Has(string) bool            { return false }
func (w *world) RenewNow()                  { w.fresh++ }
func (w *world) NodeDown(string)            {}
func (w *world) refused(ownership.Trespass) {}

func (w *world) Orphans() map[string]crypt.FingerSum         { return w.orphan }
func (w *world) RejectIn(keys.Selection) ([]keys.Key, error) { return nil, nil }
func (w *world) MinionDown(id string, _ time.Duration)       { w.lost = append(w.lost, id) }
func (w *world) Fire(tag string, _ *wire.Map)                { w.fired = append(w.fired, tag) }
func (w *world) Minion(id string) presence.Standing          { return presence.Standing{Live: w.live(id)} }

func (w *world) SetProblem(_ topology.Problem, about string, on bool) bool {
	was := w.shown[about]
	w.shown[about] = on
	return was != on
}

func (w *world) Up(id string) bool { return w.live(id) == engine.Up }

func (w *world) live(id string) engine.Liveness {
	if w.down[id] {
		return engine.Down
	}
	return engine.Up
}

func (w *world) Delete(ids ...string) (out []keys.Key, err error) {
	for _, id := range ids {
		delete(w.keys, id)
	}
	return nil, nil
}

func (w *world) Audience(bool) (minions, syndics int, conns map[uint64]bool) {
	return 1, 0, map[uint64]bool{1: true}
}

func (w *world) Adopt(_ context.Context, jid, _ string) error {
	w.taken = append(w.taken, jid)
	return nil
}

// options are those of a service of a node in that world.
func (w *world) options(t *testing.T, node string) Options {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.PkiDir = t.TempDir(), t.TempDir()
	w.shown = map[string]bool{}
	return Options{
		Config: c, Node: node, Pair: newPair(t), Signing: admission.NewTurns(1), Port: func() int { return 4506 },
		Keys: w, Shared: w, Roles: w, IsNode: w.Has, Presence: w, Tree: w, Jobs: w, Owed: func() int64 { return w.owed },
		Acts: func(string, bool) error { return nil }, Refused: w.refused, Fire: w.Fire,
		Publish: func(wire.Publication, map[uint64]bool) error { w.asked++; return nil },
		Failing: func(what string, err error, _ ...any) { t.Errorf("%s: %v", what, err) },
		Log:     slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

func open(t *testing.T, o Options) *Service {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newService is that of a node that has accepted these keys, where everybody is connected.
func newService(t *testing.T, node string, keys accepted) *Service {
	t.Helper()
	return open(t, (&world{keys: keys}).options(t, node))
}
