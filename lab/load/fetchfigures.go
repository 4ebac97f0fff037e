package load

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/momtree/mom/lab/swarm"
)

// FetchFigures is the result of Fetch.
type FetchFigures struct {
	Salt     bool       `json:"salt"` // the master is Salt's
	Minions  int        `json:"minions"`
	Protocol int        `json:"protocol"`
	Acts     []FetchAct `json:"acts"`
}

// FetchAct is the result of one job.
type FetchAct struct {
	Name     string        `json:"name"`
	Returned int           `json:"returned"` // minions whose return the master acknowledged
	Lost     int           `json:"lost"`     // returns that minions gave up
	Took     swarm.Seconds `json:"took"`     // from the publication to the last return
	Work     swarm.Work    `json:"work"`
	Busy     swarm.Seconds `json:"master_cpu"`
	Swarm    swarm.Seconds `json:"swarm_cpu"`
	// Peak is the sum of the peak memory of the master's processes (VmHWM). Share is the highest
	// memory seen during the job, with shared pages counted once (Pss). Both in bytes.
	Peak  int64 `json:"master_vmhwm"`
	Share int64 `json:"master_pss"`
	// TimedOut, Rejected and Cut count requests that got no answer in time, that were refused,
	// and whose connection the master closed.
	TimedOut int64 `json:"timed_out"`
	Rejected int64 `json:"rejected"`
	Cut      int64 `json:"cut"`
	// Wrong lists what is wrong with the result.
	Wrong []string `json:"faults"`
}

// judge checks what the minions have.
func (f *FetchAct) judge(a act, minions int) {
	fault := func(format string, args ...any) { f.Wrong = append(f.Wrong, fmt.Sprintf(format, args...)) }
	k := f.Work
	if f.Returned != minions || f.Lost != 0 || k.Minions != minions {
		fault("%d of %d minions returned, %d finished, %d returns were given up", f.Returned, minions, k.Minions, f.Lost)
	}
	if k.Failed+k.Wrong+k.Absent > 0 {
		fault("%d minions failed, %d files had a wrong hash, %d were reported absent", k.Failed, k.Wrong, k.Absent)
	}
	if k.Files != a.files*minions || k.Held != a.held*minions {
		fault("%d files were fetched and %d were cached, want %d and %d", k.Files, k.Held, a.files*minions, a.held*minions)
	}
	if a.sum != "" && k.Sums[a.sum] != minions {
		fault("%d files have the hash of the file on disk, want %d", k.Sums[a.sum], minions)
	}
	if k.Pillars != a.pillars*minions || k.Foreign+k.Faulty > 0 {
		fault("%d pillars, want %d; %d belong to other minions, %d have errors", k.Pillars, a.pillars*minions, k.Foreign, k.Faulty)
	}
}

// Faults lists what is wrong with the result.
func (f FetchFigures) Faults() (all []string) {
	for _, a := range f.Acts {
		for _, w := range a.Wrong {
			all = append(all, a.Name+": "+w)
		}
	}
	return all
}

// JSON writes the figures.
func (f FetchFigures) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// Write prints the figures.
func (f FetchFigures) Write(w io.Writer) error {
	whose := "mom"
	if f.Salt {
		whose = "Salt"
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s, %d minions\tright\tlost\ttook\tMiB/s\tfirst\tp50\tp99\tlast\trequests\ta second\tmaster CPU s\tswarm CPU s\tVmHWM MiB\tPss MiB\ttimed out\trejected\tcut\t\n", whose, f.Minions)
	for _, a := range f.Acts {
		k := a.Work
		last := max(time.Duration(k.Last).Seconds(), 1e-9)
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%.1f\t%s\t%s\t%s\t%s\t%d\t%.0f\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%d\t\n", a.Name, k.Minions-k.Failed, a.Lost, a.Took, float64(k.Bytes)/(1<<20)/last,
			k.First, k.P50, k.P99, k.Last, k.Requests, float64(k.Requests)/last, time.Duration(a.Busy).Seconds(), time.Duration(a.Swarm).Seconds(), a.Peak>>20, a.Share>>20, a.TimedOut, a.Rejected, a.Cut)
	}
	return t.Flush()
}
