package commands

import (
	"context"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "job_page", Who: server.User, Logins: true,
		Args: []string{"jid", "after"},
		Doc: `
Returns the results of a job in pages, for a command that lost the event bus. A mom
command.

jid
    The job.
after
    The last minion of the previous page; "" for the first page.
`,
	}, func(p *Parts) server.Handler {
		return jobPage{server: p.Server, access: p.Access, jobs: p.Jobs, store: p.Store, cfg: p.Config}.serve
	})
}

type jobPage struct {
	server *server.Server
	access *access.Control
	jobs   *engine.Engine
	store  *jobstore.Store
	cfg    *config.Master
}

// serve answers `job_page`, a clear command that Salt lacks. A command that follows a job may read
// too slowly and lose its subscription to the event bus. It then reads the missed returns from the
// job cache. A page holds the returns of the minion ids after the given one, in the form of their
// events. `more` is set if others follow. If the job is over, the first page also has its last
// event under `complete`: all its returns are stored by then.
//
// Users who may do everything, or look jobs up with a runner, may read any job. Other users may
// read their own.
func (c jobPage) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	jid, after := d.String("jid"), d.String("after")
	job, ok, err := c.store.Local().GetLoad(ctx, jid)
	if err != nil {
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	}
	//mutant:acl-users-read-own-jobs
	if user, may := c.mayRead(r, d.String("user"), jid); !may && (!ok || !user.Owns(job)) {
		c.server.RefusedUser("job_page", user.Name, jid)
		return nil, server.ErrNotAllowed
	}
	a, known := c.jobs.State(jid) // before the returns are read
	if !known {
		return nil, server.Invalid("job_page: this master keeps no account of job %s", jid)
	}
	if !c.cfg.JobCache {
		return nil, server.Invalid("job_page: results are not kept (job_cache: False)")
	}
	rets, err := c.store.ReturnsAfter(ctx, jid, after, c.cfg.Bounds.PageRows, c.cfg.Bounds.PageBytes)
	if err != nil {
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	}
	page, last := make([]any, 0, len(rets)), after
	for _, ret := range rets {
		last = ret.ID
		if size, digest := wire.Digest(ret.Full); len(ret.Full) > 0 && (!digest || size >= 0) { // others are not events either
			page = append(page, []byte(ret.Full)) // passed on undecoded
		}
	}
	out := wire.NewMap("returns", page, "last", last, "more", len(rets) > 0)
	if after == "" && !a.Open() {
		_, data := a.Complete().Encode()
		out.Set("complete", data)
	}
	return out, nil
}

// mayRead returns the user whose jobs the request may read; all reports whether it may read any
// job. named is the user that the request names. A login that may look jobs up with the runner may
// read any job here.
func (c jobPage) mayRead(r *server.Request, named, jid string) (user access.Owner, all bool) {
	if l := r.Login; l != nil {
		call := runners.Bind(runners.Request{Fun: "jobs.lookup_jid", Args: []any{jid}})
		return access.LoginOwner(l), c.access.JudgeRunner(l.Rules, call).Allowed
	}
	sender := access.Sender{Owner: r.User, Own: c.access.Own, Name: named, Extra: wire.NewMap()}
	switch {
	case c.access.Trusts(sender):
		return access.Owner{Name: named}, true
	case named != r.User:
		return access.Owner{}, false
	}
	return access.Owner{Name: r.User}, false
}
