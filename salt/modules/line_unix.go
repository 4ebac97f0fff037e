//go:build unix

package modules

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// terminalOf returns when a terminal was last used, and its device number.
func terminalOf(line string) (used time.Time, number int, ok bool) {
	var st unix.Stat_t
	if err := unix.Stat("/dev/"+line, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFCHR {
		return used, 0, false
	}
	return time.Unix(st.Atim.Unix()), int(st.Rdev), true
}
