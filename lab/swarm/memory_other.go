//go:build !linux

package swarm

import "runtime"

// memory is what the runtime has got from the system: an upper bound of what is
// resident.
func memory(minions int) Memory {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	n := int64(s.Sys - s.HeapReleased) //nolint:gosec // far below 2^63
	return Memory{Resident: n, PerMinion: n / int64(max(minions, 1))}
}
