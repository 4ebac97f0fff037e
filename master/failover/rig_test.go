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

// fakeMaster stands for the master around a service: it holds keys and records calls.
type fakeMaster struct {
	keys    accepted
	down    map[string]bool // ids that are not connected
	pending int64
	lost    []string // ids reported down to the jobs
	shown   map[string]bool
	fired   []string
	asked   int // publications
	fresh   int // shared keys
	taken   []string
	orphan  map[string]crypt.FingerSum
}

func (w *fakeMaster) PublicKey(id string) (*rsa.PublicKey, error) {
	if k := w.keys[id]; k != nil {
		return k, nil
	}
	return nil, errors.New("no accepted key")
}

func (w *fakeMaster) Sum(id string) (crypt.FingerSum, error) {
	_, err := w.PublicKey(id)
	return crypt.FingerSum{}, err
}
func (w *fakeMaster) Accepted(id string) bool    { return w.keys[id] != nil }
func (w *fakeMaster) List(keys.State) []string   { return slices.Sorted(maps.Keys(w.keys)) }
func (w *fakeMaster) Of(string) roles.Role       { return roles.Minion }
func (w *fakeMaster) Admitted(id string) bool    { return id != "minion" }
func (w *fakeMaster) Has(string) bool            { return false }
func (w *fakeMaster) RenewNow()                  { w.fresh++ }
func (w *fakeMaster) NodeDown(string)            {}
func (w *fakeMaster) refused(ownership.Trespass) {}

func (w *fakeMaster) Orphans() map[string]crypt.FingerSum         { return w.orphan }
func (w *fakeMaster) RejectIn(keys.Selection) ([]keys.Key, error) { return nil, nil }
func (w *fakeMaster) MinionDown(id string, _ time.Duration)       { w.lost = append(w.lost, id) }
func (w *fakeMaster) Fire(tag string, _ *wire.Map)                { w.fired = append(w.fired, tag) }
func (w *fakeMaster) Minion(id string) presence.Standing          { return presence.Standing{Live: w.live(id)} }

func (w *fakeMaster) SetProblem(_ topology.Problem, about string, on bool) bool {
	was := w.shown[about]
	w.shown[about] = on
	return was != on
}

func (w *fakeMaster) Up(id string) bool { return w.live(id) == engine.Up }

func (w *fakeMaster) live(id string) engine.Liveness {
	if w.down[id] {
		return engine.Down
	}
	return engine.Up
}

func (w *fakeMaster) Delete(ids ...string) (out []keys.Key, err error) {
	for _, id := range ids {
		delete(w.keys, id)
	}
	return nil, nil
}

func (w *fakeMaster) Audience(bool) (minions, syndics int, conns map[uint64]bool) {
	return 1, 0, map[uint64]bool{1: true}
}

func (w *fakeMaster) Adopt(_ context.Context, jid, _ string) error {
	w.taken = append(w.taken, jid)
	return nil
}

// options returns those of a service for a node.
func (w *fakeMaster) options(t *testing.T, node string) Options {
	t.Helper()
	c := config.DefaultMaster()
	c.Cachedir, c.PkiDir = t.TempDir(), t.TempDir()
	w.shown = map[string]bool{}
	return Options{
		Config: c, Node: node, Pair: newPair(t), Signing: admission.NewTurns(1), Port: func() int { return 4506 },
		Keys: w, Editor: w, Shared: w, Roles: w, IsNode: w.Has, Presence: w, Tree: w, Jobs: w, PendingReturns: func() int64 { return w.pending },
		Acts: func(string, bool) error { return nil }, Refused: w.refused, Fire: w.Fire,
		Publish: func(wire.Publication, map[uint64]bool) error { w.asked++; return nil },
		Failing: func(what string, err error, _ ...any) { t.Errorf("%s: %v", what, err) },
		Log:     slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

func open(t *testing.T, o Options) *Service {
	t.Helper()
	var err error
	if o.State, err = Open(StateOptions{Config: o.Config, Node: o.Node, Up: o.Presence.Up, Log: o.Log, Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.State.Close() })
	return New(o)
}

// newService returns a service of a node that has accepted these keys; all peers are connected.
func newService(t *testing.T, node string, keys accepted) *Service {
	t.Helper()
	return open(t, (&fakeMaster{keys: keys}).options(t, node))
}
