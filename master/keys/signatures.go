package keys

import (
	"crypto/rsa"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
)

// SignaturesOptions of [NewSignatures]. All are required.
type SignaturesOptions struct {
	// SignJobs signs each job of this master; a signature is valid for Life (sign_jobs).
	SignJobs bool
	Life     time.Duration
	// Require rejects unsigned returns (require_minion_sign_messages), and Drop those with
	// an invalid signature (drop_messages_signature_fail).
	Require, Drop bool

	// User is the login the master runs as, the user of jobs without one.
	User string
	// Private is the key of this master.
	Private *rsa.PrivateKey
	// Keys returns the accepted keys of minions.
	Keys interface {
		PublicKey(id string) (*rsa.PublicKey, error)
	}
	Log *slog.Logger
	Now func() time.Time
}

// Signatures signs jobs and verifies returns.
type Signatures struct{ o SignaturesOptions }

// NewSignatures returns Signatures.
func NewSignatures(o SignaturesOptions) *Signatures { return &Signatures{o} }

// SignJob adds a signature to a publication: the one that came with a job from above, unchanged, or
// with sign_jobs one by this master's key. extra are the kwargs of the job.
func (s *Signatures) SignJob(p *wire.Publication, extra *wire.Map, fromAbove bool) error {
	if o, ok := extra.Get(jobfields.SignatureField); ok && fromAbove {
		p.Extra.Set(jobfields.SignatureField, o)
		return nil
	}
	if !s.o.SignJobs {
		return nil
	}
	if p.User == "" {
		p.User = s.o.User // or the nodes below would set their own
	}
	now := s.o.Now()
	expires := now.Add(s.o.Life)
	if p.Extra.Has("queue_until") { // queued minions get it until then
		if until := time.Unix(p.Extra.Int("queue_until"), 0); until.After(expires) {
			expires = until
		}
	}
	o, err := jobfields.Sign(s.o.Private, *p, now, expires)
	if err != nil {
		return err
	}
	p.Extra.Set(jobfields.SignatureField, o)
	return nil
}
