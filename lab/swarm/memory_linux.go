package swarm

import (
	"os"
	"strconv"
	"strings"
)

// memory reads what the kernel counts of this process (proc_pid_status(5)).
func memory(minions int) Memory {
	var m Memory
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m
	}
	for _, line := range strings.Split(string(text), "\n") {
		name, rest, _ := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if len(f) == 0 {
			continue
		}
		kb, _ := strconv.ParseInt(f[0], 10, 64)
		switch name {
		case "VmRSS":
			m.Resident = kb << 10
		case "VmHWM":
			m.Peak = kb << 10
		}
	}
	m.PerMinion = max(m.Resident, m.Peak) / int64(max(minions, 1))
	return m
}
