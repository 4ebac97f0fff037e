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
The results of a job, some at a time, for a command that was cut off the event bus; our
own addition.

jid
    The job.
after
    The minion whose return was the last of the page before; "" for the first.
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

// serve answers `job_page`, our addition to the clear commands: a command that follows
// a job and was cut off the event bus, since it read too slowly, takes what it has
// missed from the job cache. The page holds the returns whose minion ids come after the
// one given, each as its event had it; `more` tells that there are others behind. With
// the first page comes, under `complete`, what the job's last event says if it is
// over: all its returns are stored then.
//
// Whoever may do everything, or look jobs up by a runner, may ask for any job, another user
// for the jobs of that user.
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
		if size, digest := wire.Digest(ret.Full); len(ret.Full) > 0 && (!digest || size >= 0) { // the others are no events either
			page = append(page, []byte(ret.Full)) // not decoded on the way
		}
	}
	out := wire.NewMap("returns", page, "last", last, "more", len(rets) > 0)
	if after == "" && !a.Open() {
		_, data := a.Complete().Encode()
		out.Set("complete", data)
	}
	return out, nil
}

// mayRead names whose jobs a request for a job may read; all tells that it may read any.
// named is the user that the request names. Who has logged in and may look jobs up by the
// runner may as well do so here.
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
