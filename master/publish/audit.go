package publish

import (
	"errors"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// notAllowed is the error of a job that the access rules refuse. The user sees only that it is
// refused; the audit log has the reason.
type notAllowed struct{ why string }

func (e notAllowed) Error() string { return e.why }
func (notAllowed) Unwrap() error   { return server.ErrNotAllowed }

// audit writes an audit entry for a request to start or preview a job. j is nil if it was refused.
func (s *Service) audit(kind string, by access.By, p *wire.PublishLoad, calls []access.Call, j *Job, err error) {
	s.auditAs(by.Asked(kind, p.User), p, calls, j, err)
}

// auditAs is audit for the requester in q.
func (s *Service) auditAs(q access.Asked, p *wire.PublishLoad, calls []access.Call, j *Job, err error) {
	funs := make([]string, len(calls))
	for i, c := range calls {
		funs[i] = c.Fun
	}
	q.Fun, q.Call, q.TargetType = strings.Join(funs, ","), calls[0], p.TgtType
	if q.TargetType == "" {
		q.TargetType = "glob"
	}
	q.Target, _ = targetOf(p.Tgt) // an unreadable target is refused elsewhere
	if q.Allowed = err == nil; !q.Allowed {
		q.Reason = err.Error()
		if no := (server.Refusal{}); errors.As(err, &no) && errors.Is(err, no) {
			q.Reason = no.Message
		}
	}
	if j != nil {
		q.JID = j.JID
	}
	s.o.Audit(q)
}
