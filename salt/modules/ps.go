package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/ncruces/go-strftime"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"

	"github.com/momtree/mom/value"
)

func init() {
	all, perCPU := Arg{Name: "all", Default: false}, Arg{Name: "per_cpu", Default: false}
	for _, f := range []struct {
		name          string
		args          []Arg
		run           func(context.Context, *Call) (any, error)
		what, example string
	}{
		{"boot_time", []Arg{{Name: "time_format"}}, psBootTime, "Return when the host started, in seconds since 1970; with time_format as text, as strftime writes it.", "boot_time time_format='%c'"},
		{"cpu_percent", []Arg{{Name: "interval", Default: 0.1}, perCPU}, psCPUPercent, "Return the processor usage during interval seconds, in percent. With per_cpu it is a list.", "cpu_percent interval=1"},
		{"cpu_times", []Arg{perCPU}, psCPUTimes, "Return the seconds that the processors spent in each mode. With per_cpu it is a list.", "cpu_times"},
		{"disk_io_counters", []Arg{{Name: "device"}}, psDiskIO, "Return the I/O counters of all disks, or one device; False if the device does not exist.", "disk_io_counters device=sda1"},
		{"disk_partitions", []Arg{all}, psPartitions, "List the mounted file systems of devices; with all those of the kernel too.", "disk_partitions"},
		{"disk_partition_usage", []Arg{all}, psPartitionUsage, "List the mounted file systems as ps.disk_partitions, with their usage. With all those of the kernel are listed too.", "disk_partition_usage"},
		{"disk_usage", []Arg{{Name: "path", Required: true}}, psDiskUsage, "Return the usage of the file system that holds path, in bytes.", "disk_usage /home"},
		{"get_users", nil, psUsers, "List who is logged in.", "get_users"},
		{"network_io_counters", []Arg{{Name: "interface"}}, psNetIO, "Return the I/O counters of all interfaces, or one interface; False if the interface does not exist.", "network_io_counters interface=eth0"},
		{"num_cpus", nil, psNumCPUs, "Return the number of processors.", "num_cpus"},
		{"swap_memory", nil, psSwap, "Return the usage of the swap space, in bytes.", "swap_memory"},
		{"total_physical_memory", nil, psTotalMemory, "Return the memory of the host, in bytes.", "total_physical_memory"},
		{"virtual_memory", nil, psMemory, "Return the usage of the memory, in bytes.", "virtual_memory"},
	} {
		Register("ps", Function{Name: f.name, Args: f.args, Run: f.run, Doc: "\n" + f.what + "\n\nCLI Example:\n\n    salt '*' ps." + f.example + "\n"})
	}
}

// tenth rounds to one decimal, as Python's round does with these numbers.
func tenth(f float64) float64 { return float64(int64(f*10+0.5)) / 10 }

// percent returns a share in percent, with one decimal.
func percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return tenth(float64(part) * 100 / float64(whole))
}

func psBootTime(ctx context.Context, c *Call) (any, error) {
	secs, err := host.BootTimeWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	if format := c.Str("time_format"); format != "" {
		return strftime.Format(format, time.Unix(int64(secs), 0)), nil
	}
	return secs, nil
}

func psCPUPercent(ctx context.Context, c *Call) (any, error) {
	interval, err := c.Float("interval")
	if err != nil {
		return nil, err
	}
	if !(interval >= 0) {
		return nil, &ExceptionError{"ValueError", "interval is not positive (got " + PyStr(c.Value("interval")) + ")"}
	}
	shares, err := cpu.PercentWithContext(ctx, seconds(interval), c.IsTrue("per_cpu"))
	if err != nil || len(shares) == 0 {
		return nil, osFault(err)
	}
	if !c.IsTrue("per_cpu") {
		return tenth(shares[0]), nil
	}
	out := make([]any, len(shares))
	for i, s := range shares {
		out[i] = tenth(s)
	}
	return out, nil
}

func psCPUTimes(ctx context.Context, c *Call) (any, error) {
	times, err := cpu.TimesWithContext(ctx, c.IsTrue("per_cpu"))
	if err != nil || len(times) == 0 {
		return nil, osFault(err)
	}
	out := make([]any, len(times))
	for i, t := range times {
		out[i] = value.NewMap("user", t.User, "nice", t.Nice, "system", t.System, "idle", t.Idle, "iowait", t.Iowait, "irq", t.Irq,
			"softirq", t.Softirq, "steal", t.Steal, "guest", t.Guest, "guest_nice", t.GuestNice)
	}
	if !c.IsTrue("per_cpu") {
		return out[0], nil
	}
	return out, nil
}

func psDiskIO(ctx context.Context, c *Call) (any, error) {
	disks, err := disk.IOCountersWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	var sum disk.IOCountersStat
	if device := c.Str("device"); device != "" {
		one, ok := disks[device]
		if !ok {
			return false, nil
		}
		sum = one
	} else {
		for name, d := range disks {
			if !wholeDisk(name) {
				continue // a partition: only its disk counts
			}
			sum.ReadCount += d.ReadCount
			sum.WriteCount += d.WriteCount
			sum.ReadBytes += d.ReadBytes
			sum.WriteBytes += d.WriteBytes
			sum.ReadTime += d.ReadTime
			sum.WriteTime += d.WriteTime
			sum.MergedReadCount += d.MergedReadCount
			sum.MergedWriteCount += d.MergedWriteCount
			sum.IoTime += d.IoTime
		}
	}
	return value.NewMap("read_count", sum.ReadCount, "write_count", sum.WriteCount, "read_bytes", sum.ReadBytes, "write_bytes", sum.WriteBytes,
		"read_time", sum.ReadTime, "write_time", sum.WriteTime, "read_merged_count", sum.MergedReadCount,
		"write_merged_count", sum.MergedWriteCount, "busy_time", sum.IoTime), nil
}

func psPartitions(ctx context.Context, c *Call) (any, error) {
	parts, err := mountedPartitions(ctx, c.IsTrue("all"))
	return maplist(parts), err
}

func maplist(maps []*value.Map) []any {
	out := make([]any, len(maps))
	for i, m := range maps {
		out[i] = m
	}
	return out
}

func psPartitionUsage(ctx context.Context, c *Call) (any, error) {
	parts, err := mountedPartitions(ctx, c.IsTrue("all"))
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		usage, err := mountUsage(ctx, p.String("mountpoint"))
		if err != nil {
			return nil, err
		}
		usage.Range(func(k, v any) bool {
			p.Set(k, v)
			return true
		})
	}
	return maplist(parts), nil
}

func psDiskUsage(ctx context.Context, c *Call) (any, error) { return mountUsage(ctx, c.Str("path")) }

func mountUsage(ctx context.Context, path string) (*value.Map, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, &ExceptionError{"FileNotFoundError", pythonOSError(err)}
	}
	u, err := disk.UsageWithContext(ctx, path)
	if err != nil {
		return nil, osFault(err)
	}
	return value.NewMap("total", u.Total, "used", u.Used, "free", u.Free, "percent", percent(u.Used, u.Used+u.Free)), nil
}

func psUsers(ctx context.Context, _ *Call) (any, error) {
	users, err := host.UsersWithContext(ctx)
	if err != nil {
		return []any{}, nil //nolint:nilerr // a host without the file has no sessions
	}
	out := make([]any, len(users))
	for i, u := range users {
		out[i] = value.NewMap("name", u.User, "terminal", textOrNone(u.Terminal), "host", u.Host, "started", float64(u.Started), "pid", nil)
	}
	return out, nil
}

func psNetIO(ctx context.Context, c *Call) (any, error) {
	name := c.Str("interface")
	counters, err := net.IOCountersWithContext(ctx, name != "")
	if err != nil {
		return nil, osFault(err)
	}
	for _, n := range counters {
		if name == "" || n.Name == name {
			return value.NewMap("bytes_sent", n.BytesSent, "bytes_recv", n.BytesRecv, "packets_sent", n.PacketsSent, "packets_recv", n.PacketsRecv,
				"errin", n.Errin, "errout", n.Errout, "dropin", n.Dropin, "dropout", n.Dropout), nil
		}
	}
	return false, nil
}

func psNumCPUs(ctx context.Context, _ *Call) (any, error) {
	n, err := cpu.CountsWithContext(ctx, true)
	return n, osFault(err)
}

func psSwap(ctx context.Context, _ *Call) (any, error) {
	s, err := mem.SwapMemoryWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	return value.NewMap("total", s.Total, "used", s.Used, "free", s.Free, "percent", tenth(s.UsedPercent), "sin", s.Sin, "sout", s.Sout), nil
}

func psTotalMemory(ctx context.Context, _ *Call) (any, error) {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	return m.Total, nil
}

func psMemory(ctx context.Context, _ *Call) (any, error) {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	used := m.Total - m.Free // including reclaimable caches
	if caches := m.Buffers + m.Cached; caches <= used {
		used -= caches
	}
	return value.NewMap("total", m.Total, "available", m.Available, "percent", percent(m.Total-m.Available, m.Total), "used", used, "free", m.Free,
		"active", m.Active, "inactive", m.Inactive, "buffers", m.Buffers, "cached", m.Cached, "shared", m.Shared, "slab", m.Slab), nil
}
