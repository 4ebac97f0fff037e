package conntrack

import "os"

// Read reads the table of this machine, or of the container this process runs in. ok is
// false where nothing is tracked, and on systems other than Linux.
func Read() (t Table, ok bool) { return read(os.DirFS("/proc")) }
