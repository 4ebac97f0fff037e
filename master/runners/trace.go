package runners

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/topology/trace"
)

// traceWait is how long lower nodes may take to report where a job is.
const traceWait = 5 * time.Second

func init() {
	Register(Function{
		Name:  "topology.trace",
		Args:  []string{"jid"},
		Reads: true,
		Doc: `
Where a job is: for each node of the tree when it was received, published,
answered and closed there, what is stored and still pending, and whom it waits
for now.

jid
    The id of the job.

    salt-run topology.trace 20130916125524463507
`,
		Run: func(ctx context.Context, c *Call) (any, error) {
			id := c.Text("jid")
			if !jid.Valid(id) {
				return nil, fmt.Errorf("%q is not a job id", id)
			}
			wait := traceWait
			if c.Timeout() > 0 {
				wait = c.Timeout()
			}
			ctx, cancel := context.WithTimeout(ctx, wait)
			defer cancel()
			s, err := c.Env.Trace(ctx, id)
			if err != nil {
				return nil, err
			}
			if s.State == trace.Unknown && len(s.Nodes) == 0 {
				return s.Map(), fmt.Errorf("job %s is unknown here and at the reachable nodes below", id)
			}
			return s.Map(), nil
		},
	})
}
