package sim

import (
	"fmt"
	"io"
	"time"

	"github.com/momtree/mom/lab/sim"
)

// The cost of a large simulation, measured with 10x100x1000 on two cores: 6.7 GB and 260 s
// for a million minions and one job.
const (
	bytesPerMinion  = 6_700
	timePerAnswer   = 260 * time.Microsecond
	largeSimulation = 100_000 // minions
	progressEvery   = 5 * time.Second
)

// announce prints to w the expected cost of a large simulation, and prints its progress while it
// runs.
func announce(w io.Writer, o *sim.Options, now func() time.Time) {
	minions, jobs := o.Shape.Total(), max(1, len(o.Jobs))
	if minions < largeSimulation {
		return
	}
	fmt.Fprintf(w, "%d minions in %d nodes, %d jobs: about %.1f GB of memory, and %s or more\n", minions, len(o.Shape.Parents), jobs,
		float64(minions)*bytesPerMinion/1e9, (time.Duration(minions*jobs) * timePerAnswer).Round(time.Second))
	began := now()
	last := began
	o.Progress = func(p sim.Progress) {
		at := now()
		if at.Sub(last) < progressEvery {
			return
		}
		last = at
		fmt.Fprintf(w, "%s: %.1f million events, at %s of virtual time, %d events planned\n",
			at.Sub(began).Round(time.Second), float64(p.Events)/1e6, p.Now.Round(time.Millisecond), p.Waiting)
	}
}
