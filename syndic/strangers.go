package syndic

import (
	"context"
	"time"

	"github.com/momtree/mom/returners"
)

// strangers tells the jobs that came here with minions at work on them: no master
// above has asked this node for them, and nobody has published them here. Which of
// the masters above waits for their returns is known only where the minions came from.
type strangers struct {
	jobs returners.Reader
	own  *recent[struct{}] // jids that were published here
}

// loadPatience bounds the look into the job store.
const loadPatience = 5 * time.Second

func newStrangers(jobs returners.Reader) *strangers {
	return &strangers{jobs: jobs, own: newRecent[struct{}](rememberedJobs)}
}

// has tells whether a job is one, of those that nobody above asked for. What the
// store cannot tell is no stranger now; the row is asked about again if it stays.
func (s *strangers) has(jid string) bool {
	if _, ok := s.own.get(jid); ok {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadPatience)
	defer cancel()
	_, published, err := s.jobs.GetLoad(ctx, jid)
	if published && err == nil {
		s.own.set(jid, struct{}{})
	}
	return err == nil && !published
}
