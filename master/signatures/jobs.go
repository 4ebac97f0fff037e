package signatures

import (
	"crypto/rsa"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/jobsig"
	"github.com/momtree/mom/internal/wire"
)

// Options of [New]. None may be left out.
type Options struct {
	// SignJobs has each job of this master's own signed, for Life: sign_jobs.
	SignJobs bool
	Life     time.Duration
	// Require refuses returns that are not signed (require_minion_sign_messages), and Drop
	// those whose signature does not verify (drop_messages_signature_fail).
	Require, Drop bool

	// User is the login the master runs as, whose jobs are that name none.
	User string
	// Private is the key of this master.
	Private *rsa.PrivateKey
	// Keys gives the accepted keys of minions.
	Keys interface {
		PublicKey(id string) (*rsa.PublicKey, error)
	}
	Log *slog.Logger
	Now func() time.Time
}

// Service signs jobs and checks returns.
type Service struct{ o Options }

// New has nothing to open or close.
func New(o Options) *Service { return &Service{o} }

// SignJob puts the order of the top into a publication: the one a job from above came with,
// unaltered, or with sign_jobs one of this master's own key. extra are the kwargs of the job.
func (s *Service) SignJob(p *wire.Publication, extra *wire.Map, fromAbove bool) error {
	if o, ok := extra.Get(jobsig.Field); ok && fromAbove {
		p.Extra.Set(jobsig.Field, o)
		return nil
	}
	if !s.o.SignJobs {
		return nil
	}
	if p.User == "" {
		p.User = s.o.User // the nodes below would fill in their own
	}
	now := s.o.Now()
	expires := now.Add(s.o.Life)
	if p.Extra.Has("queue_until") { // minions that come back get it until then
		if until := time.Unix(p.Extra.Int("queue_until"), 0); until.After(expires) {
			expires = until
		}
	}
	o, err := jobsig.Sign(s.o.Private, *p, now, expires)
	if err != nil {
		return err
	}
	p.Extra.Set(jobsig.Field, o)
	return nil
}
