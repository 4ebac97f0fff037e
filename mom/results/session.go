package results

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// served are the runners that need only the job cache.
var served = []string{"jobs.exit_success", "jobs.last_run", "jobs.list_job", "jobs.list_jobs", "jobs.list_jobs_filter", "jobs.lookup_jid", "jobs.print_job"}

// session is what a user may see.
type session struct {
	b *Backend
	l client.Login
}

// user returns the login of the session with its rules.
func (s *session) user(ctx context.Context) (server.Login, error) {
	p := server.Proof{Token: s.l.Token, Eauth: s.l.Eauth, Username: s.l.Username, Password: s.l.Password, From: s.l.From}
	by := "Eauth"
	if p.Token != "" {
		by = "Token"
	}
	l, err := s.b.logins.Identify(ctx, p)
	if err == nil {
		return l, nil
	}
	if ctx.Err() != nil || errors.Is(err, auth.ErrUnavailable) {
		return l, err
	}
	return l, refused(by+"AuthenticationError", `Authentication failure of type "`+strings.ToLower(by)+`" occurred.`)
}

// Runner runs a runner over the database.
func (s *session) Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error) {
	l, err := s.user(ctx)
	if err != nil {
		return nil, err
	}
	kwargs := value.NewMap()
	for k, v := range call.Kwargs {
		kwargs.Set(k, v)
	}
	bound := runners.Bind(runners.Request{Fun: call.Fun, Args: call.Args, Kwargs: kwargs, Timeout: call.Timeout})
	//mutant:api-results-need-a-login
	may := s.b.rules.JudgeRunner(l.Rules, bound).Allowed
	if !may {
		if may, err = s.own(ctx, &l, bound); err != nil {
			return nil, err
		}
	}
	if !may {
		s.b.log.Warn("call refused", "user", l.Name, "eauth", l.Eauth, "fun", call.Fun)
		return nil, refused("TokenAuthenticationError", `Authentication failure of type "token" occurred for user `+l.Name+".")
	}
	if !slices.Contains(served, call.Fun) {
		return nil, api.ErrNoMaster
	}
	env := newEnv(s.b.store)
	v, failed := runners.Run(ctx, &runners.Call{Bound: bound, Env: env})
	if env.err != nil {
		return nil, env.err // of the database; the log has the details
	}
	var raw client.Raw
	if v != nil || failed == nil {
		if raw, err = client.RawOf(v); err != nil {
			return nil, err
		}
	}
	if failed != nil {
		return nil, &client.RunnerError{Fun: call.Fun, Reason: failed.Error(), Value: raw}
	}
	return raw, nil
}

// own reports whether a call asks for a job of the user who makes it, as at a master.
func (s *session) own(ctx context.Context, l *server.Login, call runners.Bound) (bool, error) {
	jid, ok := commands.JobOf(call)
	if !ok {
		return false, nil
	}
	job, known, err := s.b.store.GetLoad(ctx, jid)
	//mutant:api-results-of-own-jobs
	return known && access.LoginOwner(l).Owns(job), err
}

// refuse returns the error for calls that need a master, after a login.
func (s *session) refuse(ctx context.Context) error {
	if _, err := s.user(ctx); err != nil {
		return err
	}
	return api.ErrNoMaster
}

// Publish implements [api.Session], as do the methods below.
func (s *session) Publish(ctx context.Context, _ client.Job) (client.Published, error) {
	return client.Published{}, s.refuse(ctx)
}

func (s *session) Run(ctx context.Context, _ client.Job) (client.Outcome, error) {
	return client.Outcome{}, s.refuse(ctx)
}

func (s *session) Batch(ctx context.Context, _ client.Job, _ client.Batch, _ func(client.Return)) (client.Account, error) {
	return client.Account{}, s.refuse(ctx)
}

func (s *session) Subset(ctx context.Context, j client.Job, _ int) (client.Job, error) {
	return j, s.refuse(ctx)
}

func (s *session) StartRunner(ctx context.Context, _ client.RunnerCall) (client.Started, error) {
	return client.Started{}, s.refuse(ctx)
}

func (s *session) Wheel(ctx context.Context, _ string, _ map[string]any) (client.WheelAnswer, error) {
	return client.WheelAnswer{}, s.refuse(ctx)
}

func (s *session) Meant(ctx context.Context, _ client.Job, _ int) (client.Meant, error) {
	return client.Meant{}, s.refuse(ctx)
}

func (s *session) StartWheel(ctx context.Context, _ string, _ map[string]any) (client.Started, error) {
	return client.Started{}, s.refuse(ctx)
}

func (s *session) Follow(ctx context.Context, _ string) (api.Following, error) {
	return nil, s.refuse(ctx)
}

func (s *session) Returns(ctx context.Context, _ string) iter.Seq2[client.Return, error] {
	return func(yield func(client.Return, error) bool) { yield(client.Return{}, s.refuse(ctx)) }
}

func (s *session) Trace(ctx context.Context, _ string, _ time.Duration) (trace.Step, error) {
	return trace.Step{}, s.refuse(ctx)
}

func (s *session) Tree(ctx context.Context) (topology.Node, error) {
	return topology.Node{}, s.refuse(ctx)
}
