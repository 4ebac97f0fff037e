package grains

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func (c *collector) processors() *value.Map { return parseProcessors(c.tree.text("/proc/cpuinfo")) }

// parseProcessors parses /proc/cpuinfo of x86, ARM, POWER and S/390.
func parseProcessors(text string) *value.Map {
	count, model, flags := int64(0), "Unknown", []string(nil)
	for _, line := range strings.Split(text, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			count++
		case "# processors":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				count = n
			}
		case "vendor_id", "model name", "cpu":
			model = value
		case "flags", "Features", "features":
			flags = strings.Fields(value)
		case "Processor":
			model, _, _ = strings.Cut(value, "-")
			count = 1
		}
	}
	return value.NewMap("num_cpus", count, "cpu_model", model, "cpu_flags", wire.AnyList(flags))
}

func (c *collector) memory() *value.Map { return parseMemory(c.tree.text("/proc/meminfo")) }

// parseMemory returns the totals in /proc/meminfo, in MiB.
func parseMemory(text string) *value.Map {
	g := value.NewMap("mem_total", int64(0), "swap_total", int64(0))
	for _, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(line, ":")
		name, ok := map[string]string{"MemTotal": "mem_total", "SwapTotal": "swap_total"}[key]
		f := strings.Fields(value)
		if !ok || len(f) == 0 {
			continue
		}
		if kib, err := strconv.ParseInt(f[0], 10, 64); err == nil {
			g.Set(name, kib/1024)
		}
	}
	return g
}

// dmiFiles maps grains to files of /sys/class/dmi/id.
var dmiFiles = [][2]string{
	{"biosversion", "bios_version"},
	{"biosvendor", "bios_vendor"},
	{"biosreleasedate", "bios_date"},
	{"boardname", "board_name"},
	{"productname", "product_name"},
	{"manufacturer", "sys_vendor"},
	{"serialnumber", "product_serial"},
	{"uuid", "product_uuid"},
}

// firmware returns grains of the firmware's tables. Only root can read some of the files.
func (c *collector) firmware() *value.Map {
	g := value.NewMap()
	for _, f := range dmiFiles {
		value := c.tree.line("/sys/class/dmi/id/" + f[1])
		if value == "" {
			continue
		}
		if !utf8.ValidString(value) {
			value = strings.ToValidUTF8(value, "\uFFFD")
		}
		if f[0] == "uuid" {
			value = strings.ToLower(value)
		}
		g.Set(f[0], value)
	}
	return g
}

// disks returns the block devices, split into rotating disks and SSDs.
func (c *collector) disks() *value.Map {
	turning, solid := []any{}, []any{}
	for _, name := range c.tree.list("/sys/block") {
		if strings.HasPrefix(c.tree.link("/sys/block/"+name), "../devices/virtual/") {
			continue
		}
		switch c.tree.line("/sys/block/" + name + "/queue/rotational") {
		case "0":
			solid = append(solid, name)
		case "1":
			turning = append(turning, name)
		}
	}
	return value.NewMap("disks", turning, "ssds", solid)
}
