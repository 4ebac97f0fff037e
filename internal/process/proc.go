package process

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// The functions in this file return zero values on systems without /proc.

// bootID returns the id that the kernel generates at each boot.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
})

// Positions in /proc/PID/stat, counted from the state, which is the first field after the
// program's name (proc(5) counts it as 3).
const (
	statState = 0
	statStart = 19
)

// stat reads the fields of /proc/PID/stat from the state on. The program's name before them is
// in parentheses and may contain blanks and parentheses.
func stat(pid int) []string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	s := string(b)
	return strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
}

// ended reports whether a process is a zombie: in a container without an init it may stay one
// forever.
func ended(pid int) bool {
	f := stat(pid)
	return len(f) > statState && (f[statState] == "Z" || f[statState] == "X")
}

// isThread reports whether the number belongs to a thread other than the first of its process.
// Threads react to signals and appear in /proc, too.
func isThread(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut(string(b), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	leader, err := strconv.Atoi(strings.TrimSpace(line))
	return ok && err == nil && leader != pid
}
