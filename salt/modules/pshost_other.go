//go:build !linux

package modules

import (
	"context"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	psutil "github.com/shirou/gopsutil/v4/process"

	"github.com/momtree/mom/value"
)

// childTimes are the seconds that ended children used; other systems do not tell them.
func childTimes(int32) (user, system float64) { return 0, 0 }

// openFile describes a file that a process has open; its position and mode are not told.
func openFile(_ int32, path string, fd uint64) any { return []any{path, int64(fd)} }

// wholeDisk reports that a device counts; the library lists disks alone.
func wholeDisk(string) bool { return true }

// processMemory is what a process holds, in bytes; nil: there is no such process.
func processMemory(ctx context.Context, p *psutil.Process) *value.Map {
	m, err := p.MemoryInfoWithContext(ctx)
	if err != nil {
		return nil
	}
	return value.NewMap("rss", m.RSS, "vms", m.VMS)
}

// mountedPartitions lists the mounted file systems on devices, or all.
func mountedPartitions(ctx context.Context, all bool) ([]*value.Map, error) {
	parts, err := disk.PartitionsWithContext(ctx, all)
	if err != nil {
		return nil, osFault(err)
	}
	out := make([]*value.Map, len(parts))
	for i, p := range parts {
		out[i] = value.NewMap("device", p.Device, "mountpoint", p.Mountpoint, "fstype", p.Fstype, "opts", strings.Join(p.Opts, ","))
	}
	return out, nil
}
