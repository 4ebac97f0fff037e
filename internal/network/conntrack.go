package network

import (
	"bufio"
	"io/fs"
	"strconv"
	"strings"
)

// Conntrack is the state of the system's table of tracked connections.
type Conntrack struct {
	Used, Max uint64 // rows
	// Dropped is the number of packets dropped since the system started because the table had
	// no row for their connection.
	Dropped uint64
}

// nearlyFull is the part of the table, in tenths, from which a warning is logged.
const nearlyFull = 9

// NearlyFull reports that nine tenths of the rows are used.
func (t Conntrack) NearlyFull() bool { return t.Max > 0 && t.Used*10 >= t.Max*nearlyFull }

// readConntrack reads the table from proc, the file system /proc. ok is false if nothing is
// tracked, or if the content is not what Linux writes.
func readConntrack(proc fs.FS) (t Conntrack, ok bool) {
	if t.Used, ok = number(proc, "sys/net/netfilter/nf_conntrack_count"); !ok {
		return Conntrack{}, false
	}
	if t.Max, ok = number(proc, "sys/net/netfilter/nf_conntrack_max"); !ok {
		return Conntrack{}, false
	}
	t.Dropped = dropped(proc)
	return t, true
}

func number(proc fs.FS, name string) (uint64, bool) {
	b, err := fs.ReadFile(proc, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}

// dropped sums up the column "drop" of the statistics, which have a line of names and a line of
// hexadecimal numbers for each CPU. Without statistics it returns 0.
func dropped(proc fs.FS) (sum uint64) {
	f, err := proc.Open("net/stat/nf_conntrack")
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	column := -1
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if column < 0 {
			for i, name := range fields {
				if name == "drop" {
					column = i
				}
			}
			if column < 0 {
				return 0
			}
			continue
		}
		if column < len(fields) {
			n, err := strconv.ParseUint(fields[column], 16, 64)
			if err == nil {
				sum += n
			}
		}
	}
	return sum
}
