package backend

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// Local is the [api.Backend] of a master on this host. It is safe for concurrent use.
type Local struct {
	Client *client.Client
	// Side asks for the users of jobs, for which all events wait. It has connections of its own, so
	// that no request of a user delays it. Default Client.
	Side *client.Client
	// Door serves strangers: logins, and tokens that were not known to be valid. It has connections
	// of its own, so that it does not delay users. Default Client.
	Door *client.Client
}

var _ api.Backend = Local{}

// Ping implements [api.Backend].
func (m Local) Ping(ctx context.Context) error { return cmp.Or(m.Side, m.Client).Ping(ctx) }

// MakeToken implements [api.Backend].
func (m Local) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (api.Token, error) {
	t, err := cmp.Or(m.Door, m.Client).MakeToken(ctx, l, expire)
	return api.Token(t), err
}

// Token implements [api.Backend].
func (m Local) Token(ctx context.Context, id string) (api.Token, error) {
	by := m.Client
	if api.IsStranger(ctx) {
		by = cmp.Or(m.Door, by)
	}
	t, err := by.Token(ctx, id)
	if refused, ok := errors.AsType[*client.Refused](err); ok && strings.Contains(refused.Name, "Authentication") {
		return api.Token{}, api.ErrNoToken
	}
	return api.Token(t), err
}

// RevokeToken implements [api.Backend].
func (m Local) RevokeToken(ctx context.Context, id string) error {
	return m.Client.RevokeToken(ctx, id)
}

// As implements [api.Backend].
func (m Local) As(l client.Login) api.Session { return session{m.Client.As(l)} }

// Events implements [api.Backend].
func (m Local) Events(ctx context.Context) (api.Events, error) {
	s, err := m.Client.Subscribe(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// JobUsers implements [api.Backend].
func (m Local) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	return cmp.Or(m.Side, m.Client).JobUsers(ctx, jids)
}

// Fire implements [api.Backend].
func (m Local) Fire(ctx context.Context, tag string, data any) error {
	return m.Client.Fire(ctx, tag, data)
}

// session is a client under a login.
type session struct{ c *client.Client }

func (s session) Publish(ctx context.Context, j client.Job) (client.Published, error) {
	return s.c.Publish(ctx, j)
}

func (s session) Meant(ctx context.Context, j client.Job, limit int) (client.Meant, error) {
	return s.c.Meant(ctx, j, limit)
}

func (s session) Run(ctx context.Context, j client.Job) (client.Outcome, error) {
	return s.c.Run(ctx, j)
}

func (s session) Batch(ctx context.Context, j client.Job, o client.Batch, took func(client.Return)) (client.Account, error) {
	return runBatch(ctx, s.c, j, o, took)
}

func (s session) Subset(ctx context.Context, j client.Job, n int) (client.Job, error) {
	return s.c.Subset(ctx, j, n)
}

func (s session) Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error) {
	return s.c.CallRunner(ctx, call)
}

func (s session) StartRunner(ctx context.Context, call client.RunnerCall) (client.Started, error) {
	return s.c.StartRunner(ctx, call)
}

func (s session) Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error) {
	return s.c.CallWheel(ctx, fun, kwargs)
}

func (s session) StartWheel(ctx context.Context, fun string, kwargs map[string]any) (client.Started, error) {
	return s.c.StartWheel(ctx, fun, kwargs)
}

func (s session) Follow(ctx context.Context, jid string) (api.Following, error) {
	f, err := s.c.FollowJob(ctx, jid)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (s session) Returns(ctx context.Context, jid string) iter.Seq2[client.Return, error] {
	return s.c.Returns(ctx, jid)
}

func (s session) Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error) {
	return s.c.Trace(ctx, jid, wait)
}

func (s session) Tree(ctx context.Context) (topology.Node, error) { return s.c.Tree(ctx) }
