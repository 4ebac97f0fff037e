//go:build !linux

package modules

import (
	"context"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	psutil "github.com/shirou/gopsutil/v4/process"

	"github.com/momtree/mom/value"
)

// childTimes returns zeros: other systems do not report the times of ended children.
func childTimes(int32) (user, system float64) { return 0, 0 }

// openFile describes an open file of a process, without position and mode.
func openFile(_ int32, path string, fd uint64) any { return []any{path, int64(fd)} }

// wholeDisk returns true: the library lists only disks.
func wholeDisk(string) bool { return true }

// processMemory returns the memory of a process in bytes; nil if the process does not
// exist.
func processMemory(ctx context.Context, p *psutil.Process) *value.Map {
	m, err := p.MemoryInfoWithContext(ctx)
	if err != nil {
		return nil
	}
	return value.NewMap("rss", m.RSS, "vms", m.VMS)
}

// mountedPartitions returns the mounted file systems on devices, or all.
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
