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
A minion reports that a job's target does not match its own data. A mom command.

jid
    The job.
data
    The data that does not match: grains, pillar, or both.
`,
	}, func(s *Service) server.Handler { return s.declined })
}

// declined serves `_declined`, an addition of mom. The master matches targets by its copies of
// grains and pillar. A minion whose own data does not match reports it, so that the master stops
// waiting.
func (s *Service) declined(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("declined job of %s: %w", r.ID, err)
	}
	job := d.String("jid")
	if !jid.Valid(job) {
		return nil, fmt.Errorf("declined job of %s: jid %q is not a job id", r.ID, job)
	}
	s.o.Answers.Declined(job, r.ID, wire.Texts(d.List("data"))...)
	return wire.NewMap("jid", job), nil
}
