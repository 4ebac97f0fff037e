//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
)

// betweenTops returns the connections of the tops to each other.
func betweenTops() (out []edge) {
	for _, a := range tops() {
		for _, b := range tops() {
			if a != b {
				out = append(out, edge{stationOf(a), stationOf(b)})
			}
		}
	}
	return out
}

// clusterOptions returns the options that make a top one of the cluster.
func (w *World) clusterOptions(m *member) string {
	if !w.o.Cluster || m.tier != 1 {
		return ""
	}
	var others []string
	for _, id := range tops() {
		if id != m.id {
			others = append(others, w.addr(m.id, id))
		}
	}
	s := "cluster_id: chaos\ncluster_peers: [" + quoted(others) + "]\n"
	if w.o.Apart {
		s += "cluster_leader: " + tops()[0] + "\n"
	}
	return s
}

// keeps reports whether a member uses MariaDB as job cache in this world.
func (w *World) keeps(r role) bool { return r.keeper() && (r.tier > 1 || !w.o.Apart) }

// admitTops makes the key of each top and admits it at the others.
func (w *World) admitTops() error {
	if !w.o.Cluster {
		return nil
	}
	pki := func(id string) string { return filepath.Join(w.members[id].dir, "etc/salt/pki/master") }
	var errs []error
	for _, id := range tops() {
		pair, err := crypt.EnsureKeyPair(pki(id), "master", 2048)
		if err != nil {
			return fmt.Errorf("make the key of %s: %w", id, err)
		}
		for _, at := range tops() {
			if at == id {
				continue
			}
			dir := filepath.Join(pki(at), "minions")
			errs = append(errs, os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, id), []byte(pair.PublicPEM), 0o600))
			_, err := admitted.Tops.Admit(pki(at), id)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// topStream is the second half of the seed of drawTopFault.
const topStream = 0x746f70

// Ways to lose a top of a cluster.
var topFaults = []string{"kill", "pause", "cut from the other top", "cut from the nodes", "cut from both"}

// drawTopFault draws what happens to one top of a cluster: one fault, or a cut of several edges.
func drawTopFault(seed uint64, length time.Duration) (top string, out []Fault) {
	r := rand.New(rand.NewPCG(seed, topStream))
	within := func(lo, hi time.Duration) time.Duration {
		return (lo + time.Duration(r.Int64N(int64(hi-lo)))).Truncate(100 * time.Millisecond)
	}
	top = pick(r, tops())
	f := Fault{Who: top, At: within(length/10, length*5/10), For: within(length/10, length*5/10)}
	cut := func(peers ...string) {
		f.What, f.Weather = Partition, Weather{Cut: true}
		for _, f.Peer = range peers {
			out = append(out, f)
		}
	}
	others := slices.DeleteFunc(tops(), func(id string) bool { return id == top })
	below := idsOf(func(r role) bool { return slices.Contains(r.parents, top) })
	switch pick(r, topFaults) {
	case "kill":
		f.What = Kill
		out = append(out, f)
	case "pause":
		f.What = Pause
		out = append(out, f)
	case "cut from the other top":
		cut(others...)
	case "cut from the nodes":
		cut(below...)
	default:
		cut(append(others, below...)...)
	}
	return top, out
}

// hitsTop reports whether a fault ends, stops or cuts off a top. In a cluster only that of
// drawTopFault does.
func (f Fault) hitsTop() bool {
	switch f.What {
	case Kill, Restart, Pause, Partition, OneWay:
		return slices.Contains(tops(), f.Who) || slices.Contains(tops(), f.Peer)
	}
	return false
}
