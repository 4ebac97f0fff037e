//go:build saltpeer

package interop

import (
	"testing"

	"github.com/momtree/mom/lab/peers"
)

// peer is an installed Salt. A nil peer stands for this project.
type peer = peers.Salt

// installed are the Salts that the environment names.
var installed []*peer

// eighth is the Salt 3008 that the environment names, if any.
var eighth *peer

// with8 runs a test with Salt 3008, where SALT_PEER8 names one.
func with8(t *testing.T, f func(t *testing.T, p *peer)) {
	if eighth == nil {
		t.Skip("SALT_PEER8 is not set: set it to the directory of an installed Salt 3008")
	}
	t.Logf("with %s", eighth.Version)
	f(t, eighth)
}

// withPeers runs a test once with each Salt.
func withPeers(t *testing.T, f func(t *testing.T, p *peer)) {
	for _, p := range installed {
		t.Run(p.Name, func(t *testing.T) {
			t.Logf("with %s", p.Version)
			f(t, p)
		})
	}
}
