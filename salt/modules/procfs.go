package modules

import (
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// The parsers of this file take the text of a file below /proc. They skip lines that they
// cannot parse, since kernels differ.

// procNumber returns a field in Salt's form: an integer, a float, or the text itself.
func procNumber(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] != '-' && s[0] != '+' {
		return n
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return s
}

// fieldMap pairs names with fields; an empty name skips a field. ok is false if fields are
// missing.
func fieldMap(names, fields []string) (*value.Map, bool) {
	if len(fields) < len(names) {
		return nil, false
	}
	m := value.NewMap()
	for i, name := range names {
		if name != "" {
			m.Set(name, procNumber(fields[i]))
		}
	}
	return m, true
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// parseMeminfo parses /proc/meminfo: name to value and unit.
func parseMeminfo(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		m := value.NewMap("value", f[1])
		if len(f) > 2 {
			m.Set("unit", f[2])
		}
		out.Set(strings.ReplaceAll(f[0], ":", ""), m)
	}
	return out
}

// parseCPUInfo parses /proc/cpuinfo. As in Salt, the last processor counts.
func parseCPUInfo(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if name == "flags" {
			out.Set(name, wire.AnyList(strings.Fields(value)))
			continue
		}
		out.Set(name, value)
	}
	return out
}

var cpuFields = []string{"", "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"}

// parseStat parses /proc/stat.
func parseStat(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch f[0] {
		case "cpu":
			if m, ok := fieldMap(cpuFields, f); ok {
				out.Set("cpu", m)
			}
		case "intr":
			out.Set("intr", value.NewMap("total", procNumber(f[1]), "irqs", numbers(f[2:])))
		case "softirq":
			out.Set("softirq", value.NewMap("total", procNumber(f[1]), "softirqs", numbers(f[2:])))
		default:
			out.Set(f[0], procNumber(f[1]))
		}
	}
	return out
}

func numbers(fields []string) []any {
	l := make([]any, len(fields))
	for i, f := range fields {
		l[i] = procNumber(f)
	}
	return l
}

var diskFields = []string{
	"major", "minor", "device", "reads_issued", "reads_merged", "sectors_read", "ms_spent_reading",
	"writes_completed", "writes_merged", "sectors_written", "ms_spent_writing", "io_in_progress",
	"ms_spent_in_io", "weighted_ms_spent_in_io",
}

// parseDiskstats parses /proc/diskstats.
func parseDiskstats(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if m, ok := fieldMap(diskFields, f); ok {
			out.Set(f[2], m)
		}
	}
	return out
}

var netFields = []string{
	"rx_bytes", "rx_packets", "rx_errs", "rx_drop", "rx_fifo", "rx_frame", "rx_compressed", "rx_multicast",
	"tx_bytes", "tx_packets", "tx_errs", "tx_drop", "tx_fifo", "tx_colls", "tx_carrier", "tx_compressed",
}

// parseNetDev parses /proc/net/dev.
func parseNetDev(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		// The last colon: an alias such as eth0:1 is part of the name.
		at := strings.LastIndexByte(line, ':')
		if at < 0 {
			continue
		}
		if m, ok := fieldMap(netFields, strings.Fields(line[at+1:])); ok {
			name := strings.TrimSpace(line[:at])
			m.Set("iface", name)
			out.Set(name, m)
		}
	}
	return out
}

// parsePairs parses lines of a name and a number, as in /proc/vmstat.
func parsePairs(text string) *value.Map {
	out := value.NewMap()
	for _, line := range lines(text) {
		if f := strings.Fields(line); len(f) >= 2 {
			out.Set(f[0], procNumber(f[1]))
		}
	}
	return out
}

// parseNetstat parses /proc/net/netstat: a line of names, then one of values.
func parseNetstat(text string) *value.Map {
	out := value.NewMap()
	var names []string
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(names) == 0 || f[0] != names[0] {
			names = f
			continue
		}
		if m, ok := fieldMap(names[1:], f[1:]); ok {
			out.Set(strings.TrimSuffix(f[0], ":"), m)
		}
	}
	return out
}

// mount is one line of /proc/mounts.
type mount struct{ point, fstype string }

func parseMounts(text string) []mount {
	var out []mount
	for _, line := range lines(text) {
		if f := strings.Fields(line); len(f) >= 3 {
			out = append(out, mount{unescapeMount(f[1]), f[2]})
		}
	}
	return out
}

// unescapeMount decodes the octal escapes of blanks in /proc/mounts.
func unescapeMount(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
