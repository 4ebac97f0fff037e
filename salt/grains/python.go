package grains

import (
	"path"
	"regexp"
	"strconv"

	"github.com/momtree/mom/value"
)

// pythonLink is the interpreter of the system.
const pythonLink = "/usr/bin/python3"

var pythonName = regexp.MustCompile(`^python(\d+)\.(\d+)$`)

// python returns the version of the host's Python. Formulas use it to choose package names.
// Salt gives the full version of its own interpreter; this gives what the name of the
// system's interpreter shows: [3, 11].
func (c *collector) python() *value.Map {
	m := pythonName.FindStringSubmatch(path.Base(c.tree.link(pythonLink)))
	if m == nil {
		return value.NewMap()
	}
	major, err1 := strconv.ParseInt(m[1], 10, 64)
	minor, err2 := strconv.ParseInt(m[2], 10, 64)
	if err1 != nil || err2 != nil {
		return value.NewMap()
	}
	return value.NewMap("pythonexecutable", pythonLink, "pythonversion", []any{major, minor})
}
