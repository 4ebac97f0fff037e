package bus

import (
	"io/fs"
	"os/user"
	"strconv"
	"syscall"
)

// groupOf returns the name of the group of a file.
func groupOf(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	id := strconv.FormatUint(uint64(st.Gid), 10)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}
