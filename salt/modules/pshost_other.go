//go:build !linux

package modules

import (
	"context"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	psutil "github.com/shirou/gopsutil/v4/process"

	"github.com/momtree/mom/internal/wire"
)

// childTimes are the seconds that ended children used; other systems do not tell them.
func childTimes(int32) (user, system float64) { return 0, 0 }

// openFile describes a file that a process has open; its position and mode are not told.
func openFile(_ int32, path string, fd uint64) any { return []any{path, int64(fd)} }

// wholeDisk reports that a device counts; the library lists disks alone.
func wholeDisk(string) bool { return true }

// processMemory is what a process holds, in bytes; nil: there is no such process.
func processMemory(ctx context.Context, p *psutil.Process) *wire.Map {
	m, err := p.MemoryInfoWithContext(ctx)
	if err != nil {
		return nil
	}
	return wire.NewMap("rss", m.RSS, "vms", m.VMS)
}

// mountedPartitions lists the mounted file systems on devices, or all.
func mountedPartitions(ctx context.Context, all bool) ([]*wire.Map, error) {
	parts, err := disk.PartitionsWithContext(ctx, all)
	if err != nil {
		return nil, osFault(err)
	}
	out := make([]*wire.Map, len(parts))
	for i, p := range parts {
		out[i] = wire.NewMap("device", p.Device, "mountpoint", p.Mountpoint, "fstype", p.Fstype, "opts", strings.Join(p.Opts, ","))
	}
	return out, nil
}
