//go:build unix

package grains

import (
	"path/filepath"

	"github.com/momtree/mom/value"
)

// hostsFile is the file of names and addresses.
const hostsFile = "/etc/hosts"

// sections returns what collects the grains; a later one overrides an earlier one.
func (c *collector) sections() []func() *value.Map {
	return []func() *value.Map{
		c.kernel, c.system, c.processors, c.memory, c.firmware, c.disks, c.network, c.dns,
		c.process, c.locale, c.identity, c.python,
	}
}

// path returns the path of a file.
func (t tree) path(name string) string { return filepath.Join(string(t), name) }
