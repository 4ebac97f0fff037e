package network

import "os"

// ReadConntrack reads the table of this machine, or of the container of this process. ok is
// false if nothing is tracked, and on systems other than Linux.
func ReadConntrack() (t Conntrack, ok bool) { return readConntrack(os.DirFS("/proc")) }
