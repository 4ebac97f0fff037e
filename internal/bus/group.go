package bus

import (
	"io/fs"
	"os/user"
	"strconv"

	"github.com/momtree/mom/internal/posix"
)

// groupOf returns the name of the group of a file.
func groupOf(info fs.FileInfo) string {
	_, gid, ok := posix.Owner(info)
	if !ok {
		return "?"
	}
	id := strconv.Itoa(gid)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}
