package api

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// Masters is the [Backend] of package client: a master on this host.
type Masters struct {
	Client *client.Client
	// Side is asked who asked for jobs, for which all events wait: it has connections of
	// its own, on which no request of a user is in front. Default Client.
	Side *client.Client
	// Door is asked for strangers: logins, and tokens that were not valid before. It has
	// connections of its own, which users do not wait for. Default Client.
	Door *client.Client
}

// Ping implements [Backend].
func (m Masters) Ping(ctx context.Context) error { return cmp.Or(m.Side, m.Client).Ping(ctx) }

// MakeToken implements [Backend].
func (m Masters) MakeToken(ctx context.Context, l client.Login, expire time.Duration) (Token, error) {
	t, err := cmp.Or(m.Door, m.Client).MakeToken(ctx, l, expire)
	return Token(t), err
}

// Token implements [Backend].
func (m Masters) Token(ctx context.Context, id string) (Token, error) {
	by := m.Client
	if IsStranger(ctx) {
		by = cmp.Or(m.Door, by)
	}
	t, err := by.Token(ctx, id)
	if refused, ok := errors.AsType[*client.Refused](err); ok && unauthentic(refused) {
		return Token{}, ErrNoToken
	}
	return Token(t), err
}

// RevokeToken implements [Backend].
func (m Masters) RevokeToken(ctx context.Context, id string) error {
	return m.Client.RevokeToken(ctx, id)
}

// As implements [Backend].
func (m Masters) As(l client.Login) Session { return session{m.Client.As(l)} }

// Events implements [Backend].
func (m Masters) Events(ctx context.Context) (Events, error) {
	s, err := m.Client.Subscribe(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// JobUsers implements [Backend].
func (m Masters) JobUsers(ctx context.Context, jids []string) (map[string]string, error) {
	return cmp.Or(m.Side, m.Client).JobUsers(ctx, jids)
}

// Fire implements [Backend].
func (m Masters) Fire(ctx context.Context, tag string, data any) error {
	return m.Client.Fire(ctx, tag, data)
}

// session is a client that works under a login.
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

// runBatch runs a job in batches to its end.
func runBatch(ctx context.Context, by client.Follower, j client.Job, o client.Batch, took func(client.Return)) (_ client.Account, err error) {
	b, err := client.BatchBy(ctx, by, j, o)
	if b != nil {
		defer func() { err = errors.Join(err, b.Close()) }()
	}
	if err != nil {
		return client.Account{}, err
	}
	for {
		u, err := b.Next(ctx)
		switch {
		case err != nil:
			return client.Account{}, err
		case u.Ended != nil:
			return *u.Ended, nil
		case u.Return != nil:
			took(*u.Return)
		}
	}
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

func (s session) Follow(ctx context.Context, jid string) (Following, error) {
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
