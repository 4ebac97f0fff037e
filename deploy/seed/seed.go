package seed

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
)

// ErrRejected means that an operator rejected a key of the tree: it is not accepted behind their back.
var ErrRejected = errors.New("the key was rejected at the master; undo that with salt-key, or remove the node")

// Link is one edge of the tree: ID below Master, or the top ID beside the top Master, with the fingerprints of both keys (sha256).
type Link struct {
	ID, Master             string
	Fingerprint, MasterKey string
	Beside                 bool // both are tops of one cluster
	Changed                bool // a key was laid or replaced by this run
}

// Tree gives the nodes configured in configDir, one folder each, each other's keys. The folder dataDir/<node> stands
// in for that node's root_dir. All faults of the tree are reported at once, and then nothing has been written.
func Tree(configDir, dataDir string) ([]Link, error) {
	nodes, err := readNodes(configDir, dataDir)
	if err != nil {
		return nil, err
	}
	if err := check(nodes); err != nil {
		return nil, err
	}
	byName := map[string]*node{}
	for _, n := range nodes {
		byName[n.name] = n
	}
	var links []Link
	for _, n := range nodes {
		if n.masterPKI != "" {
			if _, err := ensure(n.masterPKI, "master", n.masterKey); err != nil {
				return links, fmt.Errorf("node %s: %w", n.name, err)
			}
		}
		for _, p := range n.parents {
			link, err := connect(n, byName[p])
			if err != nil {
				return links, fmt.Errorf("node %s below %s: %w", n.name, p, err)
			}
			links = append(links, link)
		}
	}
	for _, n := range nodes {
		for _, p := range n.tops {
			link, err := unite(n, byName[p.host], p)
			if err != nil {
				return links, fmt.Errorf("top %s and top %s: %w", n.name, p.host, err)
			}
			links = append(links, link)
		}
	}
	return links, nil
}

// check finds the faults of the tree as a whole: masters that are no nodes, ids that are not unique, loops.
func check(nodes []*node) error {
	masters := map[string]*node{}
	var names []string
	for _, n := range nodes {
		if n.masterPKI != "" {
			masters[n.name] = n
			names = append(names, n.name)
		}
	}
	var faults []error
	ids := map[[2]string]string{}
	for _, n := range nodes {
		for _, p := range n.parents {
			if masters[p] == nil {
				faults = append(faults, fmt.Errorf("node %s: its master %s is no master of this tree (%s)", n.name, p, strings.Join(names, ", ")))
			}
			edge := [2]string{p, n.id}
			if other, taken := ids[edge]; taken {
				faults = append(faults, fmt.Errorf("nodes %s and %s: both have the id %s below %s", other, n.name, n.id, p))
			}
			ids[edge] = n.name
		}
	}
	for _, n := range nodes {
		if way := n.belowItself(masters, n, []string{n.name}); way != nil {
			faults = append(faults, fmt.Errorf("node %s: stands below itself (%s)", n.name, strings.Join(way, " below ")))
		}
	}
	return errors.Join(append(faults, checkTops(nodes, masters))...)
}

// belowItself returns a way from at up to n, nil if it has none. seen is the way to at.
func (n *node) belowItself(masters map[string]*node, at *node, seen []string) []string {
	if at == nil || at.masterPKI == "" {
		return nil
	}
	for _, up := range at.parents {
		if up == n.name {
			return append(seen, up)
		}
		if slices.Contains(seen, up) {
			continue
		}
		if way := n.belowItself(masters, masters[up], append(slices.Clip(seen), up)); way != nil {
			return way
		}
	}
	return nil
}

// connect accepts the key of below at above, and pins the key of above at below.
func connect(below, above *node) (Link, error) {
	link := Link{ID: below.id, Master: above.name}
	rejected, err := exists(filepath.Join(above.masterPKI, "minions_rejected", below.id))
	if err != nil {
		return link, err
	}
	if rejected {
		return link, fmt.Errorf("%s: %w", below.id, ErrRejected)
	}
	lower, err := ensure(below.minionPKI, "minion", below.minionKey)
	if err != nil {
		return link, err
	}
	upper, err := ensure(above.masterPKI, "master", above.masterKey)
	if err != nil {
		return link, err
	}
	for _, f := range []struct{ path, pem string }{
		{filepath.Join(above.masterPKI, "minions", below.id), lower},
		{filepath.Join(below.minionPKI, below.pinOf(above.name)), upper},
	} {
		changed, err := lay(f.path, f.pem)
		if err != nil {
			return link, err
		}
		link.Changed = link.Changed || changed
	}
	if below.masterPKI != "" { // who writes the tree down says that its nodes may stand in for each other
		if _, err := admitted.Admit(above.masterPKI, below.id); err != nil {
			return link, err
		}
	}
	// An accepted key that also waits would be shown twice.
	if err := os.Remove(filepath.Join(above.masterPKI, "minions_pre", below.id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return link, fmt.Errorf("remove the waiting key: %w", err)
	}
	if link.Fingerprint, err = crypt.Fingerprint([]byte(lower), "sha256"); err != nil {
		return link, err
	}
	link.MasterKey, err = crypt.Fingerprint([]byte(upper), "sha256")
	return link, err
}

// ensure makes or loads a pair and gives its public text.
func ensure(dir, name string, k keySpec) (string, error) {
	pair, err := crypt.EnsureKeyPairPass(dir, name, k.bits, k.pass)
	if err != nil {
		return "", err
	}
	return pair.PublicPEM, nil
}

// lay writes a public key, unless it is there already: whole or not at all, so that a master that watches the
// folder never reads half of it.
func lay(path, pem string) (changed bool, err error) {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, []byte(pem)) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("make key folder: %w", err)
	}
	if err := durable.WriteFile(path, []byte(pem), 0o644); err != nil {
		return false, fmt.Errorf("lay key: %w", err)
	}
	return true, nil
}
