package master

import "github.com/momtree/mom/master/runners"

// waitedFor is how many minions of each job are named in a list of jobs.
const waitedFor = 5

var _ runners.Worker = runnerEnv{}

// Inflight serves the runner jobs.inflight.
func (e runnerEnv) Inflight(limit int) runners.Inflight {
	jobs, open := e.m.ledger.Summaries(limit, waitedFor)
	return runners.Inflight{
		Jobs: jobs, Open: open, Returned: e.m.stats.Returns.Load(), Closed: e.m.stats.Completed.Load(), At: e.m.now(),
	}
}
