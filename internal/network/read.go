package network

import "os"

// ReadConntrack reads the table of this machine, or of the container this process runs in. ok is
// false where nothing is tracked, and on systems other than Linux.
func ReadConntrack() (t Conntrack, ok bool) { return readConntrack(os.DirFS("/proc")) }
