package daemon

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryShare is how much of the machine's or container's bound the heap may take
// before the collector works for it; the rest is for stacks, maps of files and the
// page cache, without which the kernel kills at the bound.
const memoryShare = 0.8

// LimitMemory has the garbage collector keep this process below the memory limit of
// its container or service (cgroup v1 or v2): by itself it lets the heap double, and
// the kernel kills what goes over. It gives that limit in bytes, 0 for none. Where
// GOMEMLIMIT is set that counts and nothing is done.
func LimitMemory() (int64, error) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return 0, nil
	}
	limit, err := cgroupLimit("/proc/self/cgroup", "/sys/fs/cgroup")
	if err != nil || limit == 0 {
		return 0, err
	}
	debug.SetMemoryLimit(int64(float64(limit) * memoryShare))
	return limit, nil
}

// cgroupLimit finds the lowest memory limit from the cgroup of this process up to
// the root; 0 for none. In a container the mount shows its own cgroup as the root,
// while the path may be that of the host.
func cgroupLimit(self, mount string) (int64, error) {
	b, err := os.ReadFile(self) //nolint:gosec // a file of the kernel
	if os.IsNotExist(err) {
		return 0, nil // no Linux
	}
	if err != nil {
		return 0, fmt.Errorf("find the memory limit: %w", err)
	}
	lowest := int64(math.MaxInt64)
	for line := range strings.Lines(string(b)) {
		// ID:CONTROLLERS:PATH; of version 2 the controllers are empty.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, file := mount, "memory.max"
		if parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			root, file = filepath.Join(mount, "memory"), "memory.limit_in_bytes"
		}
		for dir := filepath.Clean("/" + parts[2]); ; dir = filepath.Dir(dir) {
			text, err := os.ReadFile(filepath.Join(root, dir, file)) //nolint:gosec // a file of the kernel
			if n, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil && n > 0 {
				lowest = min(lowest, n)
			}
			if dir == "/" {
				break
			}
		}
	}
	if lowest >= noLimit {
		return 0, nil
	}
	return lowest, nil
}

// noLimit is beyond any machine: version 1 writes "none" as a number like that.
const noLimit = 1 << 60
