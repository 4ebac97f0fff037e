//go:build saltpeer

package interop

import (
	"testing"

	"github.com/momtree/mom/test/peers"
)

// peer is an installed Salt. A nil peer stands for this project.
type peer = peers.Salt

// installed are the Salts that the environment names.
var installed []*peer

// withPeers runs a test once with each Salt.
func withPeers(t *testing.T, f func(t *testing.T, p *peer)) {
	for _, p := range installed {
		t.Run(p.Name, func(t *testing.T) {
			t.Logf("with %s", p.Version)
			f(t, p)
		})
	}
}
