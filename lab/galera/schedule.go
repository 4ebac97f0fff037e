//go:build linux

package galera

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kinds of faults.
const (
	Kill     = "kill"     // the server is killed, started again and fetches what it has missed
	Freeze   = "freeze"   // the server stops (SIGSTOP) and goes on
	Cut      = "cut"      // nobody reaches the server, and it reaches nobody
	Hide     = "hide"     // the writers do not reach the server
	Split    = "split"    // the server does not reach the two others; writers reach all three
	Transfer = "transfer" // the server is killed, loses its data and gets a full copy
	Disk     = "disk"     // the server's disk is full
	Alter    = "alter"    // a table is rebuilt at the server, for all
)

// fault is what happens to one server.
type fault struct {
	What string
	Node int           // from 0
	For  time.Duration // how long it lasts; of Kill and Transfer, until the server is started
}

func (f fault) String() string {
	return fmt.Sprintf("%s n%d %v", f.What, f.Node+1, f.For.Round(100*time.Millisecond))
}

// schedule draws the faults of a seed: for each server, kills of it and a tenth as many (at least
// one) of each other kind, in any order. A server that is cut off or frozen for less than suspect
// stays in the cluster. Without namespaces nothing is cut and no disk is full.
func schedule(seed uint64, kills int, suspect time.Duration, namespaces bool) []fault {
	r := rand.New(rand.NewPCG(seed, 4))
	others := []string{Freeze, Transfer, Alter}
	if namespaces {
		others = append(others, Cut, Hide, Split, Disk)
	}
	var all []fault
	for n := range size {
		for range kills {
			all = append(all, fault{Kill, n, time.Duration(r.Int64N(int64(2 * time.Second)))})
		}
		for _, what := range others {
			for range max(1, kills/10) {
				d := suspect*2/5 + time.Duration(r.Int64N(int64(2*suspect)))
				if what == Transfer || what == Alter {
					d = time.Duration(r.Int64N(int64(2 * time.Second)))
				}
				all = append(all, fault{what, n, d})
			}
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// one reduces a schedule to its first faults of each kind, at most one of a kind for short tests.
func one(all []fault) []fault {
	var kinds []string
	return slices.DeleteFunc(slices.Clone(all), func(f fault) bool {
		if slices.Contains(kinds, f.What) {
			return true
		}
		kinds = append(kinds, f.What)
		return false
	})
}
