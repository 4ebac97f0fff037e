package peers

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	commands.Register(server.Command{
		Name: "_declined", Who: server.Proven,
		Args: []string{"jid", "data"},
		Doc: `
A minion does not take a job that this master may wait for it in; our own addition.

jid
    The job.
data
    What of the minion the target does not match: grains, pillar, or both.
`,
	}, func(s *Service) server.Handler { return s.declined })
}

// declined serves `_declined`, our own addition: what a target means by grains or pillar a
// minion judges by those that it has, and the master by copies. Where it is only the latter that
// match, the minion says so at once.
func (s *Service) declined(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("declined job of %s: %w", r.ID, err)
	}
	job := d.String("jid")
	if !jid.Valid(job) {
		return nil, fmt.Errorf("declined job of %s: jid %q is not a job id", r.ID, job)
	}
	s.p.Jobs.Declined(job, r.ID, wire.Texts(d.List("data"))...)
	return wire.NewMap("jid", job), nil
}
