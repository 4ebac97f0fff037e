package publish

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// GivePeer starts a job that a minion wants done by others: by rules of the option peer, which
// the nodes below hold it to as well, and in the name of the master's own user, as Salt
// does. The minions that run it are told who wants it. An error wraps [ErrNoMatch] or
// [ErrNotNow], or else is a refusal.
func (s *Service) GivePeer(ctx context.Context, p wire.PublishLoad, peer string, rules []any) (*Job, error) {
	calls, err := access.Calls(p)
	if err != nil {
		return nil, err
	}
	asked := access.Asked{Kind: "publish", Door: "peer", User: peer}
	p.User, p.Kwargs = s.o.Own, nil
	j, err := s.admitPeer(p, peer, rules, calls)
	if err != nil {
		s.auditAs(asked, &p, calls, nil, err)
		return nil, err
	}
	if j.Nobody() {
		return nil, fmt.Errorf("%w %v", ErrNoMatch, j.tgt)
	}
	if err := s.Start(ctx, j); err != nil {
		s.o.Failing("A job of a minion could not be started", err, "jid", j.JID, "minion", peer)
		return nil, notNow{err}
	}
	s.auditAs(asked, &p, calls, j, nil)
	return j, nil
}

func (s *Service) admitPeer(p wire.PublishLoad, peer string, rules []any, calls []access.Call) (*Job, error) {
	may, err := s.o.Access.AdmitUser(p, peer, rules, calls)
	if err != nil {
		return nil, err
	}
	j, err := s.Read(p, false)
	if err != nil {
		return nil, err
	}
	if err := j.judge(may.Judge(j.Audience, s.o.Below)); err != nil {
		return nil, err
	}
	j.extra.Set("id", peer)
	j.rules = may.Rules
	return j, nil
}
