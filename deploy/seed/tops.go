package seed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
)

// checkTops finds tops that name each other wrongly.
func checkTops(nodes []*node, masters map[string]*node) error {
	var faults []error
	for _, n := range nodes {
		ids := map[string]bool{n.topID: true}
		for _, p := range n.tops {
			switch other := masters[p.host]; {
			case len(n.parents) > 0:
				faults = append(faults, fmt.Errorf("node %s: has cluster_peers and a master above it; only tops can be a cluster", n.name))
			case other == nil:
				faults = append(faults, fmt.Errorf("node %s: cluster_peers names %s, which is not a master of this tree", n.name, p.host))
			case ids[other.topID]:
				faults = append(faults, fmt.Errorf("node %s: two tops of its cluster have the id %s", n.name, other.topID))
			default:
				ids[other.topID] = true
			}
		}
	}
	return errors.Join(faults...)
}

// unite accepts and admits the key of a top at another one, which it names at: that other one
// begins jobs there. It pins the key of the other too.
func unite(n, other *node, at peer) (Link, error) {
	link := Link{ID: n.topID, Master: other.name, Beside: true}
	rejected, err := exists(filepath.Join(other.masterPKI, "minions_rejected", n.topID))
	if err != nil {
		return link, err
	}
	if rejected {
		return link, fmt.Errorf("%s: %w", n.topID, ErrRejected)
	}
	own, err := ensure(n.masterPKI, "master", n.masterKey)
	if err != nil {
		return link, err
	}
	its, err := ensure(other.masterPKI, "master", other.masterKey)
	if err != nil {
		return link, err
	}
	for _, f := range []struct{ path, pem string }{
		{filepath.Join(other.masterPKI, "minions", n.topID), own},
		{filepath.Join(n.masterPKI, channel.PinOfTop(at.host, at.port)), its},
	} {
		changed, err := lay(f.path, f.pem)
		if err != nil {
			return link, err
		}
		link.Changed = link.Changed || changed
	}
	if _, err := admitted.Tops.Admit(other.masterPKI, n.topID); err != nil {
		return link, err
	}
	// An accepted key that also waits would be shown twice.
	if err := os.Remove(filepath.Join(other.masterPKI, "minions_pre", n.topID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return link, fmt.Errorf("remove the waiting key: %w", err)
	}
	if link.Fingerprint, err = crypt.Fingerprint([]byte(own), "sha256"); err != nil {
		return link, err
	}
	link.MasterKey, err = crypt.Fingerprint([]byte(its), "sha256")
	return link, err
}
