//go:build saltpeer

package interop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// peer is an installed Salt. A nil peer stands for this project.
type peer struct {
	name    string // of the sub-tests
	dir     string
	version string
}

var peers []*peer

// programs are what the folder bin of a peer has to hold.
var programs = []string{"salt", "salt-call", "salt-key", "salt-master", "salt-minion", "salt-run", "salt-syndic"}

// findPeers reads SALT_PEER and SALT_PEER3.
func findPeers() ([]*peer, error) {
	var out []*peer
	for _, p := range []struct{ env, name string }{{"SALT_PEER", "peer"}, {"SALT_PEER3", "peer3"}} {
		dir := os.Getenv(p.env)
		if dir == "" {
			if p.env == "SALT_PEER" {
				return nil, errors.New("SALT_PEER is not set: give the folder of an installed Salt, whose bin/ holds " + strings.Join(programs, ", "))
			}
			continue
		}
		found := &peer{name: p.name, dir: dir}
		for _, name := range programs {
			if _, err := exec.LookPath(found.bin(name)); err != nil {
				return nil, fmt.Errorf("%s=%s: bin/%s cannot be run: %w", p.env, dir, name, err)
			}
		}
		v, err := exec.Command(found.bin("salt-master"), "--version").Output()
		if err != nil {
			return nil, fmt.Errorf("%s=%s: bin/salt-master --version: %w", p.env, dir, err)
		}
		found.version = strings.TrimSpace(string(v))
		out = append(out, found)
	}
	return out, nil
}

func (p *peer) bin(name string) string { return filepath.Join(p.dir, "bin", name) }

// withPeers runs a test once with each Salt.
func withPeers(t *testing.T, f func(t *testing.T, p *peer)) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			t.Logf("with %s", p.version)
			f(t, p)
		})
	}
}
