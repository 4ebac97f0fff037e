package publish

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobs/ledger"
)

// start is a job on its way from the command to the subscribers.
type start struct {
	job  *Job
	ctx  context.Context //nolint:containedctx // of the request: its trace alone is looked at
	spec ledger.Job
	pub  wire.Publication

	done  chan struct{} // closed when it is published, or is known not to be
	again bool          // it was given before
	err   error         // of the publication
}

// starts are the jobs that are being started. The zero value is ready.
type starts struct {
	mu   sync.Mutex
	jobs map[string]*start
}

func (s *starts) put(x *start) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs == nil {
		s.jobs = map[string]*start{}
	}
	s.jobs[x.job.JID] = x
}

func (s *starts) remove(x *start) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, x.job.JID)
}

// of is the start of a job, nil if there is none.
func (s *starts) of(jid string) *start {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[jid]
}
