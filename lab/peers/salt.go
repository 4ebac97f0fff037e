package peers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Salt is an installed Salt. A nil *Salt stands for this project.
type Salt struct {
	// Name is peer for SALT_PEER, peer3 for SALT_PEER3 and peer8 for SALT_PEER8.
	Name string
	// Dir is the folder whose bin/ holds the programs.
	Dir string
	// Version is what salt-master --version prints.
	Version string
}

// programs are what the folder bin of a Salt has to hold.
var programs = []string{"salt", "salt-call", "salt-key", "salt-master", "salt-minion", "salt-run", "salt-syndic"}

// Find reads the environment: SALT_PEER names a Salt and is wanted; SALT_PEER3 names one
// that speaks version 3 of the request protocol and may be missing. See also [Find8].
func Find() ([]*Salt, error) {
	var out []*Salt
	for _, p := range []struct{ env, name string }{{"SALT_PEER", "peer"}, {"SALT_PEER3", "peer3"}} {
		s, err := find(p.env, p.name)
		switch {
		case err != nil:
			return nil, err
		case s != nil:
			out = append(out, s)
		case p.env == "SALT_PEER":
			return nil, errors.New("SALT_PEER is not set: give the folder of an installed Salt, whose bin/ holds " + strings.Join(programs, ", "))
		}
	}
	return out, nil
}

// Find8 reads SALT_PEER8, which names a Salt 3008; nil: it is not set.
func Find8() (*Salt, error) { return find("SALT_PEER8", "peer8") }

func find(env, name string) (*Salt, error) {
	dir := os.Getenv(env)
	if dir == "" {
		return nil, nil
	}
	s := &Salt{Name: name, Dir: dir}
	for _, name := range programs {
		if _, err := exec.LookPath(s.Bin(name)); err != nil {
			return nil, fmt.Errorf("%s=%s: bin/%s cannot be run: %w", env, dir, name, err)
		}
	}
	v, err := exec.Command(s.Bin("salt-master"), "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s=%s: bin/salt-master --version: %w", env, dir, err)
	}
	s.Version = strings.TrimSpace(string(v))
	return s, nil
}

// Bin gives the path of a program of this Salt.
func (s *Salt) Bin(name string) string { return filepath.Join(s.Dir, "bin", name) }
