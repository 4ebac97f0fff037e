package backend

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

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/client/remote"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// Gateway is the [api.Backend] of a gateway: the API of a master on another host. A user's requests go
// there under the user's own login, so the gateway allows nothing that the API above does not. The
// token in the file is only for the events. It is safe for concurrent use.
type Gateway struct {
	// Remote is that API, without a login.
	Remote *remote.Client
	// TokenFile has the token for the events; "" for no events. It is read each time that the events
	// are opened.
	TokenFile string

	mu   sync.Mutex
	last string // the id of the last event that was read
}

var _ api.Backend = (*Gateway)(nil)

// errNoWebhook refuses webhooks: the event would be the gateway's, not its sender's.
var errNoWebhook = api.Refuse(http.StatusNotImplemented, "This is a gateway: send webhooks to the API of the master")

// asAbove turns an error of the API above into one with the same status and text.
func asAbove(err error) error {
	e, ok := errors.AsType[*remote.StatusError](err)
	if !ok || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusBadGateway || e.Status < 400 {
		return err
	}
	return api.Refuse(e.Status, e.Text)
}

// Ping implements [api.Backend].
func (g *Gateway) Ping(ctx context.Context) error { return g.Remote.Ping(ctx) }

// MakeToken implements [api.Backend].
func (g *Gateway) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (api.Token, error) {
	t, err := g.Remote.Login(ctx, l, expire)
	return api.Token(t), asAbove(err)
}

// Token implements [api.Backend].
func (g *Gateway) Token(ctx context.Context, id string) (api.Token, error) {
	t, err := g.Remote.With(id).Holder(ctx)
	if e, ok := errors.AsType[*remote.StatusError](err); ok && e.Status == http.StatusUnauthorized {
		return api.Token{}, api.ErrNoToken
	}
	return api.Token(t), asAbove(err)
}

// RevokeToken implements [api.Backend].
func (g *Gateway) RevokeToken(ctx context.Context, id string) error {
	return asAbove(g.Remote.With(id).Logout(ctx))
}

// As implements [api.Backend].
func (g *Gateway) As(l client.Login) api.Session { return gatewaySession{g.Remote, l} }

// Events implements [api.Backend]. They resume where they broke off, if the API above still has the
// missed events.
func (g *Gateway) Events(ctx context.Context) (api.Events, error) {
	if g.TokenFile == "" {
		return nil, api.ErrNoEvents
	}
	id, err := g.token()
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	after := g.last
	g.mu.Unlock()
	e, err := g.Remote.With(id).Events(ctx, after)
	if err != nil {
		return nil, err
	}
	return &gatewayEvents{e, g}, nil
}

// token reads the token for events.
func (g *Gateway) token() (string, error) {
	b, err := os.ReadFile(g.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read token for events (api_upstream_token_file): %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !api.IsToken(id) {
		return "", fmt.Errorf("read token for events (api_upstream_token_file): no token in %s", g.TokenFile)
	}
	return id, nil
}

// CheckToken returns an error if the file has no token. It does not check whether the token is valid.
func (g *Gateway) CheckToken() error {
	_, err := g.token()
	return err
}

// gatewayEvents records the last event that was read.
type gatewayEvents struct {
	*remote.Events
	g *Gateway
}

func (e *gatewayEvents) Next(ctx context.Context) (client.Event, error) {
	ev, err := e.Events.Next(ctx)
	if err == nil {
		e.g.mu.Lock()
		e.g.last = e.Last()
		e.g.mu.Unlock()
	}
	return ev, err
}

// JobUsers implements [api.Backend], under the token for events. The list of the jobs of one moment
// names the user, without the returns and without the login service.
func (g *Gateway) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	id, err := g.token()
	if err != nil {
		return nil, err
	}
	c, users := g.Remote.With(id), map[string]string{}
	for _, jid := range jids {
		v, err := c.CallRunner(ctx, client.RunnerCall{Fun: "jobs.list_jobs", Kwargs: map[string]any{"start_time": jid, "end_time": jid}})
		if err != nil {
			return nil, fmt.Errorf("find user of job %s: %w", jid, asAbove(err))
		}
		m, err := v.Map()
		if err != nil {
			return nil, fmt.Errorf("find user of job %s: %w", jid, err)
		}
		if load := m.Map(jid); load != nil {
			users[jid] = stream.AnyService + load.String("User")
		}
	}
	return users, nil
}

// Fire implements [api.Backend]. A gateway fires no events.
func (g *Gateway) Fire(context.Context, string, any) error { return errNoWebhook }

// gatewaySession is what a user may do at the API above.
type gatewaySession struct {
	c *remote.Client
	l client.Login
}

// under calls fn as the user. A name and a password become a token for the time of the call.
func (s gatewaySession) under(ctx context.Context, fn func(c *remote.Client) error) error {
	if s.l.Token != "" {
		return asAbove(fn(s.c.With(s.l.Token)))
	}
	t, err := s.c.Login(ctx, s.l, 0)
	if err != nil {
		return asAbove(err)
	}
	c := s.c.With(t.Token)
	defer func() { _ = c.Logout(context.WithoutCancel(ctx)) }() // otherwise it expires
	return asAbove(fn(c))
}

func (s gatewaySession) Publish(ctx context.Context, j client.Job) (p client.Published, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		p, err = c.Publish(ctx, j)
		return err
	})
	return p, err
}

func (s gatewaySession) Run(ctx context.Context, j client.Job) (o client.Outcome, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		o, err = c.Run(ctx, j)
		return err
	})
	return o, err
}

func (s gatewaySession) Batch(ctx context.Context, j client.Job, o client.Batch, took func(client.Return)) (a client.Account, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		a, err = runBatch(ctx, c, j, o, took)
		return err
	})
	return a, err
}

func (s gatewaySession) Subset(ctx context.Context, j client.Job, n int) (few client.Job, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		few, err = c.Subset(ctx, j, n)
		return err
	})
	return few, err
}

func (s gatewaySession) Meant(ctx context.Context, j client.Job, limit int) (m client.Meant, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		m, err = c.Meant(ctx, j, limit)
		return err
	})
	return m, err
}

func (s gatewaySession) Runner(ctx context.Context, call client.RunnerCall) (v client.Raw, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		v, err = c.CallRunner(ctx, call)
		return err
	})
	return v, err
}

func (s gatewaySession) StartRunner(ctx context.Context, call client.RunnerCall) (st client.Started, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.StartRunner(ctx, call)
		return err
	})
	return st, err
}

func (s gatewaySession) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (st client.Started, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.StartWheel(ctx, fun, kwargs)
		return err
	})
	return st, err
}

func (s gatewaySession) Wheel(ctx context.Context, fun string, kwargs map[string]any) (a client.WheelAnswer, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		a, err = c.CallWheel(ctx, fun, kwargs)
		return err
	})
	return a, err
}

// Follow opens the stream of the job, so that an unknown job is refused now.
func (s gatewaySession) Follow(ctx context.Context, jid string) (api.Following, error) {
	if s.l.Token == "" {
		return nil, api.ErrNoToken // routes with streams have a token
	}
	f, err := s.c.With(s.l.Token).OpenJob(ctx, jid)
	if err != nil {
		return nil, asAbove(err)
	}
	return f, nil
}

// Returns yields the returns in the record of a job.
func (s gatewaySession) Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error] {
	return func(yield func(client.Return, error) bool) {
		v, err := s.Runner(ctx, client.RunnerCall{Fun: "jobs.list_job", Args: []any{jid}})
		var m *value.Map
		if err == nil {
			m, err = v.Map()
		}
		if err != nil {
			yield(client.Return{}, fmt.Errorf("read returns of job %s: %w", jid, err))
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

func (s gatewaySession) Trace(ctx context.Context, jid string, wait time.Duration) (st trace.Step, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		st, err = c.Trace(ctx, jid, wait)
		return err
	})
	return st, err
}

func (s gatewaySession) Tree(ctx context.Context) (n topology.Node, err error) {
	err = s.under(ctx, func(c *remote.Client) error {
		n, err = c.Tree(ctx)
		return err
	})
	return n, err
}
