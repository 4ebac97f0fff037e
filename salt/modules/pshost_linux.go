package modules

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	psutil "github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/unix"

	"github.com/momtree/mom/value"
)

func init() {
	psAttrs["cpu_affinity"] = func(r psInfoReader) (any, error) {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(int(r.p.Pid), &set); err != nil {
			return nil, err
		}
		out := []any{}
		for i := range len(set) * strconv.IntSize {
			if set.IsSet(i) {
				out = append(out, int64(i))
			}
		}
		return out, nil
	}
	psAttrs["cpu_num"] = func(r psInfoReader) (any, error) {
		f := procStatFields(r.p.Pid)
		if len(f) < 37 {
			return nil, unix.ESRCH
		}
		return strconv.ParseInt(f[36], 10, 64)
	}
	psAttrs["ionice"] = func(r psInfoReader) (any, error) {
		const whoProcess, classShift = 1, 13
		n, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, whoProcess, uintptr(r.p.Pid), 0)
		if errno != 0 {
			return nil, errno
		}
		return []any{int64(n >> classShift), int64(n & (1<<classShift - 1))}, nil
	}
}

// procStatFields returns the fields of /proc/PID/stat after the name; nil if the process
// does not exist.
func procStatFields(pid int32) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
}

// childTimes returns the seconds that ended children used, in user and in system mode.
func childTimes(pid int32) (user, system float64) {
	f := procStatFields(pid)
	if len(f) < 15 {
		return 0, 0
	}
	const perSecond = 100
	user, _ = strconv.ParseFloat(f[13], 64)
	system, _ = strconv.ParseFloat(f[14], 64)
	return user / perSecond, system / perSecond
}

// openFile describes an open file of a process: its path, descriptor, position, mode and
// flags. It returns nil if it is not a file in a folder.
func openFile(pid int32, path string, fd uint64) any {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || !strings.HasPrefix(path, "/") {
		return nil
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", pid, fd))
	if err != nil {
		return nil
	}
	var pos, flags int64
	for line := range strings.Lines(string(b)) {
		switch k, v, _ := strings.Cut(line, ":"); k {
		case "pos":
			pos, _ = strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		case "flags":
			flags, _ = strconv.ParseInt(strings.TrimSpace(v), 8, 64)
		}
	}
	return []any{path, int64(fd), pos, openMode(flags), flags}
}

// openMode returns the mode with which Python would open a file.
func openMode(flags int64) string {
	mode := map[int64]string{unix.O_RDONLY: "r", unix.O_WRONLY: "w", unix.O_RDWR: "w+"}[flags&unix.O_ACCMODE]
	if flags&unix.O_APPEND != 0 {
		mode = strings.Replace(mode, "w", "a", 1)
	}
	return strings.Replace(mode, "w+", "r+", 1)
}

// wholeDisk reports whether a device is a disk, not a partition.
func wholeDisk(name string) bool {
	_, err := os.Stat("/sys/block/" + strings.ReplaceAll(name, "/", "!"))
	return err == nil
}

// processMemory parses /proc/PID/statm; nil if the process does not exist.
func processMemory(_ context.Context, p *psutil.Process) *value.Map {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.Pid))
	pages := strings.Fields(string(b))
	if err != nil || len(pages) < 7 {
		return nil
	}
	m := value.NewMap()
	for _, part := range []struct {
		name string
		at   int
	}{{"rss", 1}, {"vms", 0}, {"shared", 2}, {"text", 3}, {"lib", 4}, {"data", 5}, {"dirty", 6}} {
		n, _ := strconv.ParseInt(pages[part.at], 10, 64)
		m.Set(part.name, n*int64(os.Getpagesize()))
	}
	return m
}

// mountedPartitions parses /proc/self/mounts: file systems on devices, or all.
func mountedPartitions(_ context.Context, all bool) ([]*value.Map, error) {
	onDevices := map[string]bool{"zfs": true}
	rows, err := mountLines("filesystems")
	if err != nil {
		return nil, err
	}
	for _, f := range rows {
		if len(f) == 1 {
			onDevices[f[0]] = true
		}
	}
	if rows, err = mountLines("self/mounts"); err != nil {
		return nil, err
	}
	out := []*value.Map{}
	for _, f := range rows {
		if len(f) < 4 {
			continue
		}
		device := unescapeMount(f[0])
		if device == "none" {
			device = ""
		}
		if all || device != "" && onDevices[f[2]] {
			out = append(out, value.NewMap("device", device, "mountpoint", unescapeMount(f[1]), "fstype", f[2], "opts", f[3]))
		}
	}
	return out, nil
}
