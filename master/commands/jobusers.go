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
Returns the users of jobs, for the REST API, which delivers events of a job only to users
who may see them. A mom command. The answer has the user of each known job: a user of the
machine by name, a user of a login service as SERVICE/name.

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
