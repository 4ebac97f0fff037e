package load

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// group lists the processes of the daemon, with what the kernel says of each behind its name
// (proc_pid_stat(5)), from the state on.
func (p *process) group() map[string][]string {
	own := strconv.Itoa(p.cmd.Process.Pid)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	all := map[string][]string{}
	for _, stat := range stats {
		b, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT GROUP …, and the name may hold blanks.
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(f) > 14 && f[2] == own {
			all[filepath.Dir(stat)] = f
		}
	}
	return all
}

// tick is a hundredth of a second, in which the kernel tells processor times.
const tick = 10 * time.Millisecond

// busy is the processor time that the daemon has used, with that of processes that have ended
// since.
func (p *process) busy() (sum time.Duration) {
	for _, f := range p.group() {
		for _, text := range f[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(text, 10, 64)
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// share is the memory of the daemon now, in bytes: what several processes share counts once
// (Pss).
func (p *process) share() (sum int64) {
	for dir := range p.group() {
		sum += kib(filepath.Join(dir, "smaps_rollup"), "Pss:")
	}
	return sum
}

// watch looks at the memory until ctx ends, and gives the most that it saw.
func (p *process) watch(ctx context.Context) func() int64 {
	var most atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			most.Store(max(most.Load(), p.share()))
			if timing.Sleep(ctx, 500*time.Millisecond) != nil {
				return
			}
		}
	}()
	return func() int64 {
		<-done
		return most.Load()
	}
}

// kib reads a line of a file of the kernel that ends with kB, in bytes.
func kib(path, name string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// own is the processor time that this process has used.
func own() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
