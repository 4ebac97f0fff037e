package scale

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/momtree/mom/lab/swarm"
)

// Result is the result of one run of a shape.
type Result struct {
	Shape    string        `json:"shape"`
	Nodes    int           `json:"nodes"`
	Minions  int           `json:"minions"`
	SignedIn swarm.Phase   `json:"signed_in"`
	Ready    swarm.Phase   `json:"ready"`
	Jobs     []Job         `json:"jobs"`
	Median   swarm.Seconds `json:"median"`
	Slowest  swarm.Seconds `json:"slowest"`
	CLI      CLI           `json:"salt_test_ping"`
	Memory   Memory        `json:"memory"`
	// Faults lists the violations. The run passed if it is empty.
	Faults []string `json:"faults"`
}

// CLI summarizes runs of `salt '*' test.ping` as a command.
type CLI struct {
	Runs    int           `json:"runs"`
	Median  swarm.Seconds `json:"median"`
	Slowest swarm.Seconds `json:"slowest"`
}

// Memory is the resident memory at the end, in bytes.
type Memory struct {
	Top            int64 `json:"top"`
	LargestNode    int64 `json:"largest_node"`
	SwarmPerMinion int64 `json:"swarm_peak_a_minion"`
}

// mostFaults bounds the faults of a run: ten thousand returns may be wrong for one cause.
const mostFaults = 100

func (r *Result) fault(format string, args ...any) {
	if len(r.Faults) < mostFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// times returns the durations of jobs without a kill or an error.
func (r *Result) times() (ds []time.Duration) {
	for _, j := range r.Jobs {
		if j.Killed == "" && j.Error == "" {
			ds = append(ds, time.Duration(j.Took))
		}
	}
	return ds
}

func sortedCopy(ds []time.Duration) []time.Duration {
	s := slices.Clone(ds)
	slices.Sort(s)
	return s
}

// Table prints one run per line.
func Table(out io.Writer, rs []Result) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "shape\tnodes\tminions\tsigned in\tready\tjobs\tmedian\tslowest\tsalt median\tslowest\ttop MB\tnode MB\tKB a minion\tfaults\t")
	for _, r := range rs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%.1f\t%d\t\n", r.Shape, r.Nodes, r.Minions, r.SignedIn.Last, r.Ready.Last, len(r.Jobs),
			r.Median, r.Slowest, r.CLI.Median, r.CLI.Slowest, r.Memory.Top>>20, r.Memory.LargestNode>>20, float64(r.Memory.SwarmPerMinion)/1000, len(r.Faults))
	}
	return t.Flush()
}
