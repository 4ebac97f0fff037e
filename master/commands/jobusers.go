package commands

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/server"
)

// maxAsked limits the jobs in one `job_users` request.
const maxAsked = 4096

func init() {
	Register(server.Command{
		Name: "job_users", Who: server.Operator,
		Args: []string{"jids"},
		Doc: `
Who asked for jobs, by the record of this master: for the REST API, which gives the events
of a job to those who may hear them; our own addition. The answer names the user of each
job that is known: a user of the machine by name, one of a login service as SERVICE/name.

jids
    The jobs, at most 4096.
`,
	}, func(p *Parts) server.Handler { return jobUsers{p.Store}.serve })
}

type jobUsers struct{ store *jobstore.Store }

// serve answers `job_users`.
func (c jobUsers) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	jids := d.Strings("jids")
	if len(jids) > maxAsked {
		return nil, server.Invalid("job_users: %d jobs in one question; there may be %d", len(jids), maxAsked)
	}
	users := wire.NewMap()
	for _, jid := range jids {
		job, known, err := c.store.Local().GetLoad(ctx, jid)
		if err != nil {
			return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
		}
		if known {
			users.Set(jid, access.OwnerOf(job).String())
		}
	}
	return wire.NewMap("users", users), nil
}
