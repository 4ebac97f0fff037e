package scale

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Usage is what one process holds at one time.
type Usage struct {
	At          time.Duration `json:"at"` // since the load began
	Memory      int64         `json:"memory"`
	Descriptors int64         `json:"descriptors"`
	Threads     int64         `json:"threads"`
	Disk        int64         `json:"disk"` // bytes below its folder
}

// sample records the usage of each process.
func (s *soak) sample(at time.Duration) {
	for _, m := range s.cluster.Members {
		s.usage[m.ID] = append(s.usage[m.ID], usageOf(s.procs[m.ID].Pid(), m.Dir, at))
	}
	s.usage["api"] = append(s.usage["api"], usageOf(s.api.Pid(), "", at))
}

// usageOf reads the usage of a process; what cannot be read is 0.
func usageOf(pid int, dir string, at time.Duration) Usage {
	proc := fmt.Sprintf("/proc/%d", pid)
	u := Usage{At: at, Memory: resident(pid)}
	if fds, err := os.ReadDir(proc + "/fd"); err == nil {
		u.Descriptors = int64(len(fds))
	}
	if f, err := os.Open(proc + "/status"); err == nil {
		for in := bufio.NewScanner(f); in.Scan(); {
			if n, ok := strings.CutPrefix(in.Text(), "Threads:"); ok {
				u.Threads, _ = strconv.ParseInt(strings.TrimSpace(n), 10, 64)
			}
		}
		_ = f.Close() // read only
	}
	if dir != "" {
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // files may vanish
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					u.Disk += info.Size()
				}
			}
			return nil
		})
	}
	return u
}

// Growth compares the usage of a process early and late in a run.
type Growth struct {
	ID string `json:"id"`
	// Early and Late are the medians of the second and of the last quarter.
	Early Usage `json:"early"`
	Late  Usage `json:"late"`
	Most  Usage `json:"most"`
}

// growth returns the growth of each process, sorted by id.
func growth(usage map[string][]Usage, whole time.Duration) (out []Growth) {
	for id, us := range usage {
		g := Growth{ID: id}
		var early, late []Usage
		for _, u := range us {
			switch quarter := 4 * u.At / whole; {
			case quarter == 1:
				early = append(early, u)
			case quarter >= 3:
				late = append(late, u)
			}
		}
		for _, q := range quantities {
			*q.of(&g.Early), *q.of(&g.Late), *q.of(&g.Most) = medianOf(early, q.of), medianOf(late, q.of), mostOf(us, q.of)
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Growth) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// quantities must not grow by more than a tenth and the slack.
var quantities = []struct {
	name  string
	of    func(*Usage) *int64
	slack int64
}{
	{"bytes of memory", func(u *Usage) *int64 { return &u.Memory }, 8 << 20},
	{"descriptors", func(u *Usage) *int64 { return &u.Descriptors }, 16},
	{"threads", func(u *Usage) *int64 { return &u.Threads }, 4},
	{"bytes of disk", func(u *Usage) *int64 { return &u.Disk }, 16 << 20},
}

func (g Growth) faults() (out []string) {
	for _, q := range quantities {
		if early, late := *q.of(&g.Early), *q.of(&g.Late); late > early+early/10+q.slack {
			out = append(out, fmt.Sprintf("%s grows: %d %s in the second quarter, %d in the last", g.ID, early, q.name, late))
		}
	}
	return out
}

func medianOf(us []Usage, of func(*Usage) *int64) int64 {
	if len(us) == 0 {
		return 0
	}
	ns := make([]int64, len(us))
	for i := range us {
		ns[i] = *of(&us[i])
	}
	slices.Sort(ns)
	return ns[len(ns)/2]
}

func mostOf(us []Usage, of func(*Usage) *int64) (most int64) {
	for i := range us {
		most = max(most, *of(&us[i]))
	}
	return most
}

// SoakResult is the outcome of a [Soak].
type SoakResult struct {
	Jobs    int      `json:"jobs"`
	Returns int      `json:"returns"`
	Kills   int      `json:"kills"`
	Events  int      `json:"events"` // numbered ones
	Usage   []Growth `json:"usage"`
	// Faults are broken promises. None: the soak has passed.
	Faults []string `json:"faults"`
}

func (r *SoakResult) count(j Job) {
	r.Jobs++
	r.Returns += j.Returned
}

func (r *SoakResult) fault(format string, args ...any) {
	if len(r.Faults) < mostFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// Write prints a table of the growth.
func (r SoakResult) Write(out io.Writer) error {
	fmt.Fprintf(out, "%d jobs, %d returns, %d events, %d kills of a node, %d faults\n", r.Jobs, r.Returns, r.Events, r.Kills, len(r.Faults))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "process\tMB early\tlate\tmost\tdescriptors early\tlate\tmost\tthreads early\tlate\tmost\tdisk MB early\tlate\tmost\t")
	for _, g := range r.Usage {
		fmt.Fprintf(t, "%s", g.ID)
		for i, q := range quantities {
			for _, u := range []*Usage{&g.Early, &g.Late, &g.Most} {
				n := *q.of(u)
				if i == 0 || i == 3 {
					n >>= 20
				}
				fmt.Fprintf(t, "\t%d", n)
			}
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}
