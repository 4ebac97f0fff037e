package master

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	own.Register(server.Command{
		Name: "job_user", Who: server.Operator,
		Args: []string{"jid"},
		Doc: `
Who asked for a job, by the record of this master: for the REST API, which gives the events
of a job to those who may hear them; our own addition.

jid
    The job.
`,
	}, func(m *Master) server.Handler { return m.jobUser })
}

// jobUser serves `job_user`.
func (m *Master) jobUser(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	user, known, err := m.userOf(ctx, d.String("jid"))
	if err != nil {
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	}
	return wire.NewMap("known", known, "user", user), nil
}

// userOf tells who asked for a job that the embedded store has.
func (m *Master) userOf(ctx context.Context, jid string) (user string, known bool, err error) {
	l, known, err := m.store.Local().GetLoad(ctx, jid)
	return l.User, known, err
}
