package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

func init() {
	Register("status",
		Function{Name: "uptime", Run: func(context.Context, *Call) (any, error) { return uptime(time.Now()) }, Doc: `
Return how long the host is up: seconds, days, time as hours and minutes of the
last day, the boot time, and the number of logged-in users.

CLI Example:

    salt '*' status.uptime
`},
		Function{Name: "loadavg", Run: func(context.Context, *Call) (any, error) { return loadavg() }, Doc: `
Return the load averages of the last 1, 5 and 15 minutes.

CLI Example:

    salt '*' status.loadavg
`},
		Function{Name: "meminfo", Run: procText("/proc/meminfo", parseMeminfo), Doc: `
Return the memory figures of /proc/meminfo.

CLI Example:

    salt '*' status.meminfo
`},
		Function{Name: "cpuinfo", Run: procText("/proc/cpuinfo", parseCPUInfo), Doc: `
Return the fields of /proc/cpuinfo for the last processor.

CLI Example:

    salt '*' status.cpuinfo
`},
		Function{Name: "cpustats", Run: procText("/proc/stat", parseStat), Doc: `
Return the processor, interrupt and process counters of /proc/stat.

CLI Example:

    salt '*' status.cpustats
`},
		Function{Name: "diskstats", Run: procText("/proc/diskstats", parseDiskstats), Doc: `
Return the counters of every block device.

CLI Example:

    salt '*' status.diskstats
`},
		Function{Name: "vmstats", Run: procText("/proc/vmstat", parsePairs), Doc: `
Return the counters of virtual memory.

CLI Example:

    salt '*' status.vmstats
`},
		Function{Name: "netstats", Run: procText("/proc/net/netstat", parseNetstat), Doc: `
Return the counters of the network protocols.

CLI Example:

    salt '*' status.netstats
`},
		Function{Name: "netdev", Run: procText("/proc/net/dev", parseNetDev), Doc: `
Return the counters of every network interface.

CLI Example:

    salt '*' status.netdev
`},
		Function{Name: "diskusage", VarArgs: true, Run: statusDiskusage, Doc: `
Return total and available bytes of mounted file systems: all, those of the
types matching the globs, or the paths named.

CLI Example:

    salt '*' status.diskusage
    salt '*' status.diskusage 'ext?' /srv
`},
		Function{Name: "nproc", Run: constantly(func() any { return runtime.NumCPU() }), Doc: `
Return the number of processors the minion may use.

CLI Example:

    salt '*' status.nproc
`},
		Function{Name: "version", Run: statusVersion, Doc: `
Return the version of the running kernel.

CLI Example:

    salt '*' status.version
`},
		Function{Name: "time", Args: []Arg{{Name: "format", Default: defaultTimeFormat}}, Run: statusTime, Doc: `
Return the local time of the host, in a format for strftime.

CLI Example:

    salt '*' status.time '%Y-%m-%d %H:%M'
`},
		Function{Name: "all_status", Run: statusAll, Doc: `
Return cpuinfo, cpustats, diskstats, diskusage, loadavg, meminfo, netdev,
netstats, uptime, vmstats and w in one map.

CLI Example:

    salt '*' status.all_status
`},
		Function{
			Name: "master", Args: []Arg{{Name: "master"}, {Name: "connected", Default: true}}, Run: statusMaster,
			Doc: `
Return whether the minion is connected to a master, by name or address. If that
differs from the argument connected, it fires an event on the minion's bus.

CLI Example:

    salt '*' status.master salt.example.com
`,
		},
		Function{Name: "ping_master", Args: []Arg{{Name: "master", Required: true}}, Run: statusPingMaster, Doc: `
Check whether a master answers.

CLI Example:

    salt '*' status.ping_master salt.example.com
`},
	)
}

// procText returns a function that parses one file; an unreadable file gives an empty map.
func procText(path string, parse func(string) *value.Map) func(context.Context, *Call) (any, error) {
	return func(context.Context, *Call) (any, error) { return readProc(path, parse), nil }
}

func readProc(path string, parse func(string) *value.Map) *value.Map {
	b, err := os.ReadFile(path)
	if err != nil {
		return value.NewMap()
	}
	return parse(string(b))
}

func uptime(now time.Time) (any, error) {
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return nil, CommandErrorf("File /proc/uptime was not found.")
	}
	first, _, _ := strings.Cut(string(b), " ")
	up, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil, CommandErrorf("/proc/uptime does not hold a number of seconds: %q", first)
	}
	m := uptimeMap(now, int64(up))
	if sessions, err := readUtmp(); err == nil {
		m.Set("users", len(sessions))
	}
	return m, nil
}

func uptimeMap(now time.Time, secs int64) *value.Map {
	since := now.UTC().Add(-time.Duration(secs) * time.Second)
	rest := secs % 86400
	return value.NewMap(
		"seconds", secs,
		"since_iso", since.Format("2006-01-02T15:04:05.000000"),
		"since_t", since.Unix(),
		"days", secs/86400,
		"time", fmt.Sprintf("%d:%d", rest/3600, rest%3600/60),
	)
}

func loadavg() (any, error) {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil, CommandErrorf("read the load average: %v", err)
	}
	f := strings.Fields(string(b))
	if m, ok := fieldMap([]string{"1-min", "5-min", "15-min"}, f); ok {
		return m, nil
	}
	return nil, CommandErrorf("/proc/loadavg does not hold three numbers: %q", b)
}

func statusDiskusage(ctx context.Context, c *Call) (any, error) {
	var types, paths []string
	for _, a := range c.Rest() {
		if s := PyStr(a); strings.HasPrefix(s, "/") {
			paths = append(paths, s)
		} else {
			types = append(types, s)
		}
	}
	if len(c.Rest()) == 0 {
		types = []string{"*"}
	}
	if len(types) > 0 {
		b, _ := os.ReadFile("/proc/mounts") // an unreadable file means no mounts
		for _, m := range parseMounts(string(b)) {
			for _, t := range types {
				if target.Glob(t, m.fstype) {
					paths = append(paths, m.point)
					break
				}
			}
		}
	}
	out := value.NewMap()
	for _, p := range paths {
		if u, ok := diskUsage(ctx, p); ok {
			out.Set(p, u)
		}
	}
	return out, ctx.Err()
}

// diskUsageWait bounds the query of one file system: a server that is gone never answers.
const diskUsageWait = 5 * time.Second

// diskUsage returns the size of a file system; ok is false if the path does not exist.
func diskUsage(ctx context.Context, path string) (*value.Map, bool) {
	ctx, cancel := context.WithTimeout(ctx, diskUsageWait)
	defer cancel()
	type answer struct {
		available, total uint64
		err              error
	}
	got := make(chan answer, 1)
	go func() {
		var a answer
		a.available, a.total, a.err = diskSpace(path)
		got <- a
	}()
	select {
	case a := <-got:
		if errors.Is(a.err, fs.ErrNotExist) {
			return nil, false
		}
		if a.err == nil {
			return value.NewMap("available", a.available, "total", a.total), true
		}
	case <-ctx.Done():
	}
	return value.NewMap("available", nil, "total", nil), true
}

// blockBytes returns the bytes of a number of blocks. Some systems report a negative number
// if less than root's reserve is left: it counts as 0.
func blockBytes(blocks int64, size uint64) uint64 {
	return uint64(max(blocks, 0)) * size
}

func statusVersion(context.Context, *Call) (any, error) {
	b, err := os.ReadFile("/proc/version")
	if err != nil {
		return value.NewMap(), nil
	}
	return strings.TrimSpace(string(b)), nil
}

func statusAll(ctx context.Context, c *Call) (any, error) {
	out := value.NewMap()
	for _, name := range []string{
		"cpuinfo", "cpustats", "diskstats", "diskusage", "loadavg", "meminfo", "netdev", "netstats",
		"uptime", "vmstats", "w",
	} {
		v, err := c.sub(ctx, "status."+name, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("status.%s: %w", name, err)
		}
		out.Set(name, v)
	}
	return out, nil
}

func statusMaster(_ context.Context, c *Call) (any, error) {
	name := c.Str("master")
	if name == "" {
		return nil, nil
	}
	connected := false
	for _, m := range c.Env.Masters() {
		if m.Addr == name || m.IP == name {
			connected = connected || m.Connected
		}
	}
	if connected != c.IsTrue("connected") {
		tag := "__master_disconnected"
		if connected {
			tag = "__master_connected"
		}
		if err := c.Env.FireLocal(tag, value.NewMap("master", name)); err != nil {
			logger(c.Env).Error("event not sent", "tag", tag, "err", err)
		}
	}
	return connected, nil
}

func statusPingMaster(ctx context.Context, c *Call) (any, error) {
	name := c.Str("master")
	if name == "" {
		return false, nil
	}
	if err := c.Env.PingMaster(ctx, name); err != nil {
		logger(c.Env).Debug("master does not answer", "master", name, "err", err)
		return false, nil
	}
	return true, nil
}
