package master

import (
	"time"

	"github.com/momtree/mom/internal/jobsig"
	"github.com/momtree/mom/internal/wire"
)

// endorse puts the order of the top into a publication: the one a job from above
// came with, unaltered, or with sign_jobs one of this master's own key.
func (m *Master) endorse(j *job, p *wire.Publication) error {
	if o, ok := j.extra.Get(jobsig.Field); ok && j.fromAbove {
		p.Extra.Set(jobsig.Field, o)
		return nil
	}
	if !m.cfg.SignJobs {
		return nil
	}
	if p.User == "" {
		p.User = m.user() // the nodes below would fill in their own
	}
	now := m.now()
	expires := now.Add(m.cfg.SignJobsLife)
	if p.Extra.Has("queue_until") { // minions that come back get it until then
		if until := time.Unix(p.Extra.Int("queue_until"), 0); until.After(expires) {
			expires = until
		}
	}
	o, err := jobsig.Sign(m.identity.Pair.Private, *p, now, expires)
	if err != nil {
		return err
	}
	p.Extra.Set(jobsig.Field, o)
	return nil
}
