package treewatch

import (
	"crypto/rand"
	"crypto/rsa"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/gossip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// A master gossips and lists nodes that are not in its tree. The tree has its key without gossip
// too.
func TestGossip(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []bool{false, true} {
		tree := topology.NewTree(topology.Node{ID: "top", Role: "master"}, time.Now)
		h, err := Listen(GossipOptions{
			ID: "top", Version: "test", Addr: func() string { return "here:1" }, Tree: tree, On: on, Log: quiet, Now: time.Now,
			Gossip: gossip.Options{Mode: "local", Listen: "127.0.0.1:0", PinFile: filepath.Join(t.TempDir(), "pins"), Key: key},
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Compare()
		if n := tree.Snapshot(); n.Key == "" || len(n.Heard) != 0 {
			t.Errorf("on %v: key %q, heard %+v", on, n.Key, n.Heard)
		}
		if !on {
			h.Run(t.Context()) // ends at once
			continue
		}
		if seen := h.g.Nodes(); len(seen) != 1 || seen[0].ID != "top" || seen[0].Addr != "here:1" {
			t.Errorf("seen %+v", seen)
		}
		if err := h.g.Close(); err != nil {
			t.Error(err)
		}
	}
}
