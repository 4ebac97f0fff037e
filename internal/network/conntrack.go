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
	// Dropped is how many packets were dropped because there was no row for their
	// connection, since the system started.
	Dropped uint64
}

// nearlyFull is the part of the table, in tenths, from which on an operator is told.
const nearlyFull = 9

// NearlyFull tells that nine tenths of the rows are taken.
func (t Conntrack) NearlyFull() bool { return t.Max > 0 && t.Used*10 >= t.Max*nearlyFull }

// readConntrack reads the table out of proc, the file system /proc. ok is false where nothing is
// tracked, or what is there is not what Linux writes.
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

// dropped adds up the column "drop" of the statistics, a line of hexadecimal numbers for
// each processor below a line of names. A system without them has dropped nothing that
// could be told.
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
