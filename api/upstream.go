package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// Upstream is the [Backend] of a gateway: the API of a master on another host. All that a
// user asks goes there under the user's own login, so nothing is allowed here that is not
// allowed there. The token of the file is for the events alone.
type Upstream struct {
	// Remote is that API, without a login.
	Remote *remote.Client
	// TokenFile has the token with which events are listened to; "" for none. It is read
	// each time that the events are opened.
	TokenFile string

	mu   sync.Mutex
	last string // the id of the last event that was heard
}

// errNoWebhook: the event would be the gateway's and not that of whoever sent it.
var errNoWebhook = refuse(http.StatusNotImplemented, "This is a gateway: webhooks are taken by the API of the master itself")

// asAbove gives an error of the API above as this one answers it: with the same status and text.
func asAbove(err error) error {
	e, ok := errors.AsType[*remote.StatusError](err)
	if !ok || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusBadGateway || e.Status < 400 {
		return err
	}
	return &problem{e.Status, e.Text}
}

// Ping implements [Backend].
func (u *Upstream) Ping(ctx context.Context) error { return u.Remote.Ping(ctx) }

// MakeToken implements [Backend].
func (u *Upstream) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error) {
	t, err := u.Remote.Login(ctx, l, expire)
	return Token(t), asAbove(err)
}

// Token implements [Backend].
func (u *Upstream) Token(ctx context.Context, id string) (Token, error) {
	t, err := u.Remote.With(id).Holder(ctx)
	if e, ok := errors.AsType[*remote.StatusError](err); ok && e.Status == http.StatusUnauthorized {
		return Token{}, ErrNoToken
	}
	return Token(t), asAbove(err)
}

// RevokeToken implements [Backend].
func (u *Upstream) RevokeToken(ctx context.Context, id string) error {
	return asAbove(u.Remote.With(id).Logout(ctx))
}

// As implements [Backend].
func (u *Upstream) As(l client.Login) Session { return upstream{u.Remote, l} }

// Events implements [Backend]. They go on where they broke off, as far as the API above still
// has what was missed.
func (u *Upstream) Events(ctx context.Context) (Events, error) {
	if u.TokenFile == "" {
		return nil, ErrNoEvents
	}
	id, err := u.token()
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	after := u.last
	u.mu.Unlock()
	e, err := u.Remote.With(id).Events(ctx, after)
	if err != nil {
		return nil, err
	}
	return &upstreamEvents{e, u}, nil
}

// token reads the token for events.
func (u *Upstream) token() (string, error) {
	b, err := os.ReadFile(u.TokenFile)
	if err != nil {
		return "", fmt.Errorf("the token for events (api_upstream_token_file): %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !shaped(id) {
		return "", fmt.Errorf("the token for events (api_upstream_token_file): %s has none in it", u.TokenFile)
	}
	return id, nil
}

// CheckToken tells at the start whether the file has a token; not whether it holds.
func (u *Upstream) CheckToken() error {
	_, err := u.token()
	return err
}

// upstreamEvents remembers how far it has heard.
type upstreamEvents struct {
	*remote.Events
	u *Upstream
}

func (e *upstreamEvents) Next(ctx context.Context) (client.Event, error) {
	ev, err := e.Events.Next(ctx)
	if err == nil {
		e.u.mu.Lock()
		e.u.last = e.Last()
		e.u.mu.Unlock()
	}
	return ev, err
}

// JobUsers implements [Backend], under the token for events: the list of the jobs of one
// moment names the user who asked, without the returns and without the login service.
func (u *Upstream) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	id, err := u.token()
	if err != nil {
		return nil, err
	}
	c, users := u.Remote.With(id), map[string]string{}
	for _, jid := range jids {
		v, err := c.CallRunner(ctx, client.RunnerCall{Fun: "jobs.list_jobs", Kwargs: map[string]any{"start_time": jid, "end_time": jid}})
		if err != nil {
			return nil, fmt.Errorf("who asked for job %s: %w", jid, asAbove(err))
		}
		m, err := v.Map()
		if err != nil {
			return nil, fmt.Errorf("who asked for job %s: %w", jid, err)
		}
		if load := m.Map(jid); load != nil {
			users[jid] = stream.AnyService + load.String("User")
		}
	}
	return users, nil
}

// Fire implements [Backend]: nothing can be fired from here.
func (u *Upstream) Fire(context.Context, string, any) error { return errNoWebhook }

// upstream is what a user may do at the API above.
type upstream struct {
	c *remote.Client
	l client.Login
}

// under calls fn as the user. A name and a password are a token for as long as that takes.
func (s upstream) under(ctx context.Context, fn func(c *remote.Client) error) error {
	if s.l.Token != "" {
		return asAbove(fn(s.c.With(s.l.Token)))
	}
	t, err := s.c.Login(ctx, s.l, 0)
	if err != nil {
		return asAbove(err)
	}
	c := s.c.With(t.Token)
	defer func() { _ = c.Logout(context.WithoutCancel(ctx)) }() // it ends by itself, if not now
	return asAbove(fn(c))
}

func (s upstream) Publish(ctx context.Context, j client.Job) (p client.Published, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		p, err = c.Publish(ctx, j)
		return err
	})
	return p, err
}

func (s upstream) Run(ctx context.Context, j client.Job) (o client.Outcome, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		o, err = c.Run(ctx, j)
		return err
	})
	return o, err
}

func (s upstream) Batch(ctx context.Context, j client.Job, o client.Batch, took func(client.Return)) (a client.Account, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		a, err = runBatch(ctx, c, j, o, took)
		return err
	})
	return a, err
}

func (s upstream) Subset(ctx context.Context, j client.Job, n int) (few client.Job, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		few, err = c.Subset(ctx, j, n)
		return err
	})
	return few, err
}

func (s upstream) Meant(ctx context.Context, j client.Job, limit int) (m client.Meant, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		m, err = c.Meant(ctx, j, limit)
		return err
	})
	return m, err
}

func (s upstream) Runner(ctx context.Context, call client.RunnerCall) (v client.Raw, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		v, err = c.CallRunner(ctx, call)
		return err
	})
	return v, err
}

func (s upstream) StartRunner(ctx context.Context, call client.RunnerCall) (st client.Started, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.StartRunner(ctx, call)
		return err
	})
	return st, err
}

func (s upstream) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (st client.Started, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.StartWheel(ctx, fun, kwargs)
		return err
	})
	return st, err
}

func (s upstream) Wheel(ctx context.Context, fun string, kwargs map[string]any) (a client.WheelAnswer, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		a, err = c.CallWheel(ctx, fun, kwargs)
		return err
	})
	return a, err
}

// Follow opens the stream of the job, so that a job that is not told of is refused now.
func (s upstream) Follow(ctx context.Context, jid string) (Following, error) {
	if s.l.Token == "" {
		return nil, errNoSession // routes with streams have a token
	}
	f, err := s.c.With(s.l.Token).OpenJob(ctx, jid)
	if err != nil {
		return nil, asAbove(err)
	}
	return f, nil
}

// Returns gives the stored returns of a job out of the record of the job.
func (s upstream) Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error] {
	return func(yield func(client.Return, error) bool) {
		v, err := s.Runner(ctx, client.RunnerCall{Fun: "jobs.list_job", Args: []any{jid}})
		var m *value.Map
		if err == nil {
			m, err = v.Map()
		}
		if err != nil {
			yield(client.Return{}, fmt.Errorf("returns of job %s: %w", jid, err))
			return
		}
		fun := m.String("Function")
		m.Map("Result").Range(func(k, v any) bool {
			id, _ := k.(string)
			d, _ := v.(*value.Map)
			ret, _ := d.Get("return")
			raw, err := client.RawOf(ret)
			return yield(client.Return{JID: jid, ID: id, Fun: fun, Value: raw, Retcode: int(d.Int("retcode")), Success: d.Bool("success"), Out: d.String("out")}, err)
		})
	}
}

func (s upstream) Trace(ctx context.Context, jid string, wait time.Duration) (st trace.Step, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.Trace(ctx, jid, wait)
		return err
	})
	return st, err
}

func (s upstream) Tree(ctx context.Context) (n topology.Node, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		n, err = c.Tree(ctx)
		return err
	})
	return n, err
}
