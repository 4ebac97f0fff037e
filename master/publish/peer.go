package publish

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// PublishPeer starts a job for a minion by the rules of the option peer, which the nodes below
// apply too. As in Salt it runs as the master's own user; its publication names the minion. Errors
// wrap [ErrNoMatch] or [ErrNotNow], or are refusals.
func (s *Service) PublishPeer(ctx context.Context, p wire.PublishLoad, peer string, rules []any) (*Job, error) {
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
		s.o.Failing("job of minion not started", err, "jid", j.JID, "minion", peer)
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
	if err := j.judge(may.Judge(j.Audience, s.o.Tree.Node)); err != nil {
		return nil, err
	}
	j.extra.Set("id", peer)
	j.rules = may.Rules
	return j, nil
}
