//go:build unix

package grains

import "github.com/momtree/mom/value"

// hostsFile is the file of names and addresses.
const hostsFile = "/etc/hosts"

// sections returns what collects the grains; a later one overrides an earlier one.
func (c *collector) sections() []func() *value.Map {
	return []func() *value.Map{
		c.kernel, c.system, c.processors, c.memory, c.firmware, c.disks, c.network, c.dns,
		c.process, c.locale, c.identity, c.python,
	}
}
